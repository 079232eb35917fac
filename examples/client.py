"""Marks a PDF over HTTP with x402's client for Python, which answers a 402 with a payment.

    pip install "x402[requests,evm]"
    PRIVATE_KEY=0x… SERVICE=https://pdf.example.com python3 examples/client.py contract.pdf marked.pdf DRAFT

Without PRIVATE_KEY it pays with the development key, which only a service on your machine accepts.
"""

import os
import sys
import uuid

from eth_account import Account
from x402 import x402ClientSync
from x402.http.clients import x402_requests
from x402.mechanisms.evm import EthAccountSigner
from x402.mechanisms.evm.exact import ExactEvmScheme

DEVELOPMENT_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"


def main(source="examples/contract.pdf", output="marked.pdf", text="DRAFT"):
    account = Account.from_key(os.environ.get("PRIVATE_KEY", DEVELOPMENT_KEY))
    client = x402ClientSync()
    client.register("eip155:*", ExactEvmScheme(signer=EthAccountSigner(account)))
    session = x402_requests(client)
    with open(source, "rb") as file:
        response = session.post(
            os.environ.get("SERVICE", "http://127.0.0.1:8787") + "/v1/watermark/text",
            headers={"Idempotency-Key": str(uuid.uuid4())},  # a call repeated with this key is charged once
            files={"file": file},
            data={"text": text},
        )
    if not response.ok:
        sys.exit(response.text)
    sold = response.json()
    with open(output, "wb") as file:
        file.write(session.get(sold["output"]["url"]).content)
    print(f"{output}: {sold['output']['pages']} pages marked for {sold['cost']}")


main(*sys.argv[1:])
