# Save as first-payment.py, then run: python3 first-payment.py
import json
import os
import time
import urllib.request

authorization = {"Authorization": f"Bearer {os.environ['TOKEN']}"}


def call(url, headers, body=None):
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json", **headers}
    request = urllib.request.Request(url, data, headers)
    with urllib.request.urlopen(request, timeout=15) as response:
        return json.load(response)


# 1. Create a payment. A retry with the same key creates no second payment.
payment = call(
    "{base_url}/api-public/payments",
    {**authorization, "Idempotency-Key": f"order-{time.time_ns()}"},
    {"amount": 19.90, "observation": "Pedido 42"},
)

# 2. Show the code to the customer.
print(payment["qrCopyPaste"])
print(payment["id"], flush=True)

# local
# 3. The customer pays: here, at the simulated bank.
call("{bank_url}/bank/pay", {}, {"pixCopiaECola": payment["qrCopyPaste"]})

# /local
# 4. Wait for the result. Only approved means that the money is there.
while payment["status"] == "pending":
    time.sleep(1)
    payment = call("{base_url}/api-public/payments/" + payment["id"], authorization)
print(payment["status"], payment["amount"])
