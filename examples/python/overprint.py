"""A client of Overprint in one file, with Python's standard library. Only the signature of a payment needs a package.

    pip install -r requirements.txt
    PRIVATE_KEY=0x… SERVICE=https://pdf.example.com python3 overprint.py contract.pdf marked.pdf DRAFT

Copy this file into your project to use it as a module:

    from overprint import Overprint
    marked = Overprint("https://pdf.example.com", key).watermark_text("contract.pdf", text="DRAFT")
    marked.save("marked.pdf")

Without PRIVATE_KEY the program pays with the development key, which only a service on your machine accepts.
"""

import base64
import http.client
import json
import os
import re
import secrets
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from dataclasses import dataclass, field
from decimal import Decimal

from eth_account import Account

DEVELOPMENT_KEY = "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"

# USDC on each network on which the client can pay. Other tokens are refused, because the meaning of their amounts is unknown.
USDC = {
    "eip155:8453": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",  # base
    "eip155:84532": "0x036CbD53842c5426634e7929541eC2318f3dCF7e",  # base-sepolia
    "eip155:137": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",  # polygon
    "eip155:80002": "0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582",  # polygon-amoy
    "eip155:42161": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",  # arbitrum
    "eip155:421614": "0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d",  # arbitrum-sepolia
    "eip155:43114": "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E",  # avalanche
    "eip155:43113": "0x5425890298aed601595a70AB815c96711a31Bc65",  # avalanche-fuji
    "eip155:480": "0x79A02482A880bCE3F13e09Da970dC34db4CD24d1",  # world
    "eip155:143": "0x754704Bc059F8C67012fEd69BC8A327a5aafb603",  # monad
}

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

LARGE_BYTES = 10_000_000  # a larger file is uploaded before the call
LONGEST_SECONDS = 3600  # maximum accepted lifetime of a payment, which the payee can cash until it expires
RETRY_SECONDS = 180  # time limit for repeated calls
LONGEST_WAIT_SECONDS = 60
TIMEOUT_SECONDS = 600
LOST = re.compile(r"unreachable|answer_broken|http_5..")
UNSETTLED = ("settlement_pending", "payment_in_progress")


class OverprintError(Exception):
    """An error of the service or of the client. `code` is stable, and the message says what to do.

    If `may_be_paid` is true, the payment may settle although the call failed. To get the result without a second
    payment, repeat the call with `idempotency_key`, and with `upload_handle` in place of the file if it is set.
    """

    def __init__(self, code, message, status=None, errors=(), request_id=None, retry_after=None):
        super().__init__(message)
        self.code, self.status, self.errors, self.request_id = code, status, list(errors), request_id
        self.retry_after = retry_after
        self.may_be_paid, self.idempotency_key, self.upload_handle = False, None, None


@dataclass
class Marked:
    """A marked PDF that has been paid for."""

    url: str
    expires_at: str
    pages: int
    bytes: int
    cost: str
    notices: list
    receipt: dict  # empty if the receipt names another payer or no settled payment; its signature is not checked
    idempotency_key: str
    _origin: str = field(repr=False)

    def download(self):
        """Returns the marked PDF."""
        if not _is_trusted(self.url, self._origin):
            raise OverprintError("download_wrong", "The link of the result does not use https and was not opened.")
        with _send(urllib.request.Request(self.url)) as answer:
            content = _read(answer)
        if len(content) != self.bytes:
            raise OverprintError("download_wrong", f"{len(content)} of {self.bytes} bytes arrived. Download it again.")
        return content

    def save(self, path):
        """Writes the marked PDF to a file."""
        content = self.download()
        with open(path, "wb") as file:
            file.write(content)


class Overprint:
    """A deployment, and the account that pays it with USDC. `max_price` is the maximum price of a call in USDC."""

    def __init__(self, url, key, max_price="0.10"):
        self.origin = url.rstrip("/")
        parts = urllib.parse.urlsplit(self.origin)
        if parts.path or parts.query or not (parts.scheme == "https" or _is_of_this_machine(self.origin)):
            raise OverprintError("invalid_argument", "The URL must be the https address of a deployment without a path.")
        self.max_price = Decimal(max_price)
        self._key = key

    def watermark_text(self, file, text, idempotency_key=None, **fields):
        """Buys a text on every page. `file` is a path, bytes, a URL or an upload handle. `fields` are those of the API."""
        return self._buy("text", file, None, {"text": text, **fields}, idempotency_key or str(uuid.uuid4()))

    def watermark_image(self, file, image, idempotency_key=None, **fields):
        """Buys an image on every page. `file` and `image` are paths, bytes, URLs or upload handles."""
        return self._buy("image", file, image, fields, idempotency_key or str(uuid.uuid4()))

    def _buy(self, operation, file, image, fields, key):
        endpoint = f"{self.origin}/v1/watermark/{operation}"
        parts = {"file": _part(file), **({} if image is None else {"image": _part(image)}), **fields}
        payment = self._pay(endpoint)
        handle = None
        try:
            if isinstance(parts["file"], bytes) and len(parts["file"]) > LARGE_BYTES:
                handle = parts["file"] = self._upload(parts["file"], payment)
                payment = self._live(payment, endpoint)
            body, content_type = _form(parts)
            headers = {"Content-Type": content_type, "Idempotency-Key": key, "PAYMENT-SIGNATURE": payment["header"]}
            sold, answered = _answer(urllib.request.Request(endpoint, body, headers))
        except OverprintError as error:
            error.idempotency_key, error.upload_handle = key, handle
            raise
        notices = answered.get("Overprint-Notice")
        output = sold["output"]
        return Marked(
            **{name: output[name] for name in ("url", "expires_at", "pages", "bytes")},
            cost=sold["cost"],
            notices=notices.split(", ") if notices else [],
            receipt=_receipt(answered.get("PAYMENT-RESPONSE"), payment["payer"]),
            idempotency_key=key,
            _origin=self.origin,
        )

    def _pay(self, endpoint):
        """Asks for the price, and signs a payment for the first way to pay that is allowed."""
        try:
            _send(urllib.request.Request(endpoint, method="POST")).close()
        except OverprintError as error:
            if error.status != 402:
                raise
            try:
                terms = json.loads(base64.b64decode(error.terms))
                ways = [way for way in terms["accepts"] if _is_payable(way)]
            except (TypeError, ValueError, KeyError) as cause:
                raise OverprintError("not_x402", "The payment terms are not valid x402. Check the URL.") from cause
        else:
            raise OverprintError("not_x402", "The service asks for no payment. Check the URL.")
        for way in ways:
            if Decimal(way["amount"]) / 10**6 <= self.max_price:
                return self._sign(way)
        reason = f"The price is more than {self.max_price} USDC." if ways else "No offered network is supported."
        raise OverprintError("not_payable", reason)

    def _sign(self, offer):
        now = int(time.time())
        nonce = secrets.token_bytes(32)
        transfer = {
            "from": Account.from_key(self._key).address,
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
        signed = Account.sign_typed_data(self._key, domain, TRANSFER, transfer)
        authorization = {name: str(value) for name, value in transfer.items()} | {"nonce": "0x" + nonce.hex()}
        payload = {"signature": "0x" + signed.signature.hex().removeprefix("0x"), "authorization": authorization}
        payment = {"x402Version": 2, "accepted": offer, "payload": payload}
        header = base64.b64encode(json.dumps(payment).encode()).decode()
        return {"header": header, "expires": transfer["validBefore"], "payer": transfer["from"]}

    def _live(self, payment, endpoint):
        """Returns a payment that is valid long enough. Signs a new one only after the old one has expired."""
        left = payment["expires"] - time.time()
        if left > 60:
            return payment
        time.sleep(max(0, left) + 1)
        return self._pay(endpoint)

    def _upload(self, content, payment):
        """Uploads a file with a payment, which is verified and not settled. Returns the upload handle."""
        body = json.dumps({"size": len(content), "type": "pdf"}).encode()
        headers = {"Content-Type": "application/json", "PAYMENT-SIGNATURE": payment["header"]}
        with _send(urllib.request.Request(f"{self.origin}/v1/uploads", body, headers)) as answer:
            offered = json.loads(_read(answer))
        target = offered["upload"]
        if not _is_trusted(target["url"], self.origin):
            raise OverprintError("answer_broken", "The upload URL does not use https and was not opened.")
        _send(urllib.request.Request(target["url"], content, target["headers"], method="PUT")).close()
        return offered["handle"]


def _answer(request):
    """Makes a call until it succeeds. Repeats it with the same payment and key if no answer arrives, or to wait."""
    deadline = time.time() + RETRY_SECONDS
    may_be_paid = False
    attempt = 0
    while True:
        try:
            with _send(request) as answer:
                try:
                    sold = json.loads(_read(answer))
                    sold["output"]["url"]
                except (ValueError, KeyError, TypeError) as cause:
                    raise OverprintError("answer_broken", "The answer is not from an Overprint deployment.") from cause
                return sold, answer.headers
        except OverprintError as error:
            is_lost = LOST.fullmatch(error.code) is not None
            may_be_paid = may_be_paid or is_lost or error.code in UNSETTLED
            error.may_be_paid = may_be_paid
            seconds = min(error.retry_after or 2**attempt, LONGEST_WAIT_SECONDS)
            can_wait = error.status in (429, 503) and error.retry_after is not None
            if not (is_lost or can_wait) or time.time() + seconds > deadline:
                raise
            attempt += 1
            time.sleep(seconds)


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Follows no redirects, because payments and files are meant for one address only."""

    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirect)


def _send(request):
    try:
        return _opener.open(request, timeout=TIMEOUT_SECONDS)
    except urllib.error.HTTPError as answer:
        raise _error_in(answer) from None
    except (OSError, http.client.HTTPException) as cause:
        raise OverprintError("unreachable", f"{request.host} did not answer: {cause}") from cause


def _read(answer):
    try:
        return answer.read()
    except (OSError, http.client.HTTPException) as cause:
        raise OverprintError("answer_broken", f"The answer was cut off: {cause}") from cause


def _error_in(answer):
    """Converts an error answer to an error with the service's own code and message."""
    try:
        problem = json.loads(answer.read(1_000_000))
        problem = problem if isinstance(problem, dict) else {}
    except (ValueError, OSError, http.client.HTTPException):
        problem = {}
    code = problem.get("code") or ("payment_refused" if answer.code == 402 else f"http_{answer.code}")
    message = problem.get("detail") or problem.get("error") or f"The answer has the status {answer.code}."
    wait = answer.headers.get("Retry-After")
    error = OverprintError(
        code,
        message,
        answer.code,
        problem.get("errors", ()),
        problem.get("request_id") or answer.headers.get("X-Request-Id"),
        int(wait) if wait and wait.isdigit() else None,
    )
    error.terms = answer.headers.get("PAYMENT-REQUIRED")
    return error


def _is_payable(way):
    extra = way.get("extra") or {}
    return (
        way.get("scheme") == "exact"
        and USDC.get(way.get("network"), "").lower() == str(way.get("asset")).lower()
        and extra.get("assetTransferMethod", "eip3009") == "eip3009"
        and 0 < way.get("maxTimeoutSeconds", LONGEST_SECONDS + 1) <= LONGEST_SECONDS
        and re.fullmatch(r"\d{1,30}", str(way.get("amount"))) is not None
    )


def _receipt(header, payer):
    try:
        receipt = json.loads(base64.b64decode(header))
        is_right = receipt["success"] is True and receipt["payer"].lower() == payer.lower()
    except (TypeError, ValueError, KeyError, AttributeError):
        return {}
    return receipt if is_right else {}


def _part(source):
    """Returns a file as bytes, or as a text that the service reads itself: a URL or an upload handle."""
    if isinstance(source, bytes) or (isinstance(source, str) and re.match(r"(https?://|upload:)", source, re.I)):
        return source
    with open(source, "rb") as file:
        return file.read()


def _form(parts):
    """Encodes fields as multipart/form-data."""
    boundary = secrets.token_hex(16)
    body = bytearray()
    for name, value in parts.items():
        file = f'; filename="{name}"' if isinstance(value, bytes) else ""
        body += f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'.encode()
        body += value if isinstance(value, bytes) else str(value).encode()
        body += b"\r\n"
    return bytes(body) + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _is_of_this_machine(url):
    return urllib.parse.urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1")


def _is_trusted(url, origin):
    """Returns whether the client may open a URL that a deployment returned."""
    if _is_of_this_machine(url):
        return _is_of_this_machine(origin)
    return urllib.parse.urlsplit(url).scheme == "https"


def main(source="examples/contract.pdf", output="marked.pdf", text="DRAFT"):
    service = os.environ.get("SERVICE", "http://127.0.0.1:8787")
    try:
        marked = Overprint(service, os.environ.get("PRIVATE_KEY", DEVELOPMENT_KEY)).watermark_text(source, text)
        marked.save(output)
    except OverprintError as error:
        sys.exit(f"{error.code}: {error}")
    print(f"{output}: {marked.pages} pages marked for {marked.cost}")


if __name__ == "__main__":
    main(*sys.argv[1:])
