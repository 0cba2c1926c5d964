"""A shop with Flask: it charges by Pix, and fulfils an order once its payment is approved."""

import json
import os
import sys
import threading
import urllib.request
import uuid
from pathlib import Path

from flask import Flask, abort, redirect, request

# In your shop, copy verify.py beside this file.
sys.path.insert(0, str(Path(__file__).parents[2] / "services/api/docs/verify"))
from verify import verify_webhook  # noqa: E402

PORT = int(os.environ.get("PORT", "4100"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://127.0.0.1:{PORT}")

# A real shop keeps these in its database, and changes them in one transaction.
orders = {}
handled_webhooks = set()
lock = threading.Lock()

app = Flask(__name__)


def call(path, body=None, headers=None):
    """Calls the service. Sends a POST if there is a body."""
    authorization = {"Authorization": f"Bearer {os.environ['PAYMENTS_TOKEN']}"}
    asked = urllib.request.Request(
        os.environ["PAYMENTS_URL"] + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={**authorization, "Content-Type": "application/json", **(headers or {})},
    )
    with urllib.request.urlopen(asked, timeout=15) as answer:
        return json.load(answer)


@app.get("/")
def shop():
    return '<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>'


@app.post("/orders")
def create_order():
    order = {"id": str(uuid.uuid4()), "amount": 19.9, "fulfilled": False, "payment": {}}
    orders[order["id"]] = order
    body = {
        "amount": order["amount"],
        "observation": f"Pedido {order['id']}",
        "webhookUrl": f"{SHOP_URL}/webhooks",
    }
    # The order's own key: a retry creates no second payment.
    order["payment"] = call("/api-public/payments", body, {"Idempotency-Key": order["id"]})
    return redirect(f"/orders/{order['id']}", 303)


@app.get("/orders/<order_id>")
def show_order(order_id):
    order = orders.get(order_id) or abort(404)
    if order["fulfilled"]:
        return "<h1>Pago. O pedido está a caminho.</h1>"
    # Without an answer of the bank there is no code yet: a read shows it later.
    if not order["payment"]["qrCopyPaste"]:
        order["payment"] = call(f"/api-public/payments/{order['payment']['id']}")
    payment = order["payment"]
    page = '<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>'
    if not payment["qrCopyPaste"]:
        return page + "<p>Um momento…</p>"
    return f"{page}<img src='{payment['qrCodeUrl']}' alt='QR code'><p><code>{payment['qrCopyPaste']}</code></p>"


@app.post("/webhooks")
def receive_webhook():
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        # The signature covers the raw body: parse it only afterwards.
        event = verify_webhook(os.environ["WEBHOOK_SECRET"], headers, request.get_data())
    except ValueError:
        abort(401)
    with lock:
        handle(headers["webhook-id"], event)
    return "", 200


def handle(webhook_id, event):
    if webhook_id in handled_webhooks:
        print(f"known webhook {webhook_id}", flush=True)
        return
    handled_webhooks.add(webhook_id)
    order = next((one for one in orders.values() if one["payment"].get("id") == event["id"]), None)
    if order is None or order["fulfilled"]:
        return
    # Another amount may have been approved: compare it before you deliver.
    if event["status"] != "approved" or event["amount"] != order["amount"]:
        return
    order["fulfilled"] = True
    print(f"fulfilled order {order['id']}", flush=True)


if __name__ == "__main__":
    app.run(port=PORT)
