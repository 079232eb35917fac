"""Marks a PDF over HTTP with Python's standard library; only the signature needs a package.

    pip install eth-account
    PRIVATE_KEY=0x… SERVICE=https://pdf.example.com python3 examples/plain.py contract.pdf marked.pdf DRAFT

Without PRIVATE_KEY it pays with the development key, which only a service on your machine accepts.
"""

import base64
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request
import uuid

from eth_account import Account

DEVELOPMENT_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

# EIP-3009, which USDC implements: the holder of the signature can execute this transfer once, until validBefore
TRANSFER = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


def terms_of(endpoint):
    """Returns the terms (x402 version 2) from the 402 of a call without a payment."""
    try:
        urllib.request.urlopen(urllib.request.Request(endpoint, method="POST"))
    except urllib.error.HTTPError as answer:
        if answer.code == 402:
            return json.loads(base64.b64decode(answer.headers["PAYMENT-REQUIRED"]))
        raise
    raise RuntimeError("the service asks for no payment")


def payment_for(terms, key):
    """Signs a payment for the first offer on an EVM chain. Returns the value of the header PAYMENT-SIGNATURE."""
    offer = next(one for one in terms["accepts"] if one["network"].startswith("eip155:"))
    now = int(time.time())
    nonce = secrets.token_bytes(32)
    transfer = {
        "from": Account.from_key(key).address,
        "to": offer["payTo"],
        "value": int(offer["amount"]),
        "validAfter": now - 60,
        "validBefore": now + offer["maxTimeoutSeconds"],
        "nonce": nonce,
    }
    domain = {
        "name": offer["extra"]["name"],
        "version": offer["extra"]["version"],
        "chainId": int(offer["network"].split(":")[1]),
        "verifyingContract": offer["asset"],
    }
    signed = Account.sign_typed_data(key, domain, TRANSFER, transfer)
    authorization = {name: str(value) for name, value in transfer.items()} | {"nonce": "0x" + nonce.hex()}
    payload = {"signature": "0x" + signed.signature.hex().removeprefix("0x"), "authorization": authorization}
    return base64.b64encode(
        json.dumps({"x402Version": 2, "accepted": offer, "payload": payload}).encode()
    ).decode()


def main(source="examples/contract.pdf", output="marked.pdf", text="DRAFT"):
    endpoint = os.environ.get("SERVICE", "http://127.0.0.1:8787") + "/v1/watermark/text"
    payment = payment_for(terms_of(endpoint), os.environ.get("PRIVATE_KEY", DEVELOPMENT_KEY))
    with open(source, "rb") as file:
        pdf = base64.b64encode(file.read()).decode()
    call = urllib.request.Request(
        endpoint,
        data=json.dumps({"file": f"data:application/pdf;base64,{pdf}", "text": text}).encode(),
        headers={
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4()),  # a call repeated with this key is charged once
            "PAYMENT-SIGNATURE": payment,
        },
    )
    try:
        with urllib.request.urlopen(call) as answer:
            sold = json.load(answer)
    except urllib.error.HTTPError as problem:
        sys.exit(problem.read().decode())
    urllib.request.urlretrieve(sold["output"]["url"], output)
    print(f"{output}: {sold['output']['pages']} pages marked for {sold['cost']}")


main(*sys.argv[1:])
