#!/bin/sh
# Marks a PDF over HTTP with curl: signs a payment, sends it with the call and downloads the result.
#
#   sh examples/curl.sh examples/contract.pdf marked.pdf DRAFT
#
# It pays with the development key, which only a service on your machine accepts. Start the service with `npm run dev`
# first.
set -eu
file=${1:-examples/contract.pdf} output=${2:-marked.pdf} text=${3:-DRAFT}
endpoint=${SERVICE:-http://127.0.0.1:8787}/v1/watermark/text

payment=$(npm run -s pay -- "$endpoint")  # asks for the price and signs a payment
key=$(node -p "crypto.randomUUID()")      # a call repeated with this key is charged once
answer=$(curl -sS --fail-with-body "$endpoint" \
  -H "X-PAYMENT: $payment" \
  -H "Idempotency-Key: $key" \
  -F "file=@$file" \
  --form-string "text=$text")
echo "$answer"
curl -sS --fail-with-body -o "$output" "$(node -p 'JSON.parse(process.argv[1]).output.url' "$answer")"
