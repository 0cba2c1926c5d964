import base64
import hashlib
import hmac
import json
import time

TOLERANCE_SECONDS = 300


# Verifies a webhook, and returns its event.
# `headers` has names in lower case; `body` is the bytes exactly as they were received: parse them only afterwards.
# Raises ValueError when it is not from the service, was changed on its way, or is more than five minutes old.
# `headers["webhook-id"]` says whether you have had it already.
def verify_webhook(secret: str, headers: dict, body: bytes) -> dict:
    message_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "").split(" ")
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        raise ValueError("The webhook is too old, or its timestamp is missing.")

    key = base64.b64decode(secret.removeprefix("whsec_"))
    # Anyone could sign with an empty key.
    if not key:
        raise ValueError("The secret is missing.")
    signed = f"{message_id}.{timestamp}.".encode() + body
    digest = hmac.new(key, signed, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    # While a secret is being rotated there are two signatures: either will do.
    if not any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures):
        raise ValueError("The signature is wrong.")
    return json.loads(body)
