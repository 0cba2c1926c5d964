"""A shop with Flask: it charges by Pix, fulfils an order once its payment is approved, and refunds it."""

import json
import os
import sys
import threading
import time
import urllib.request
import uuid
from pathlib import Path

from flask import Flask, abort, redirect, request

# In your shop, copy verify.py beside this file.
sys.path.insert(0, str(Path(__file__).parents[2] / "services/api/docs/verify"))
from verify import verify_webhook  # noqa: E402

PORT = int(os.environ.get("PORT", "4100"))
SHOP_URL = os.environ.get("SHOP_URL", f"http://127.0.0.1:{PORT}")

SHOP_FILE = Path(os.environ.get("SHOP_FILE", "shop.json"))

# A real shop keeps all of this in its database, and changes it in one transaction.
shop = {"orders": {}, "handled_events": {}, "cursor": None}
if SHOP_FILE.exists():
    shop = json.loads(SHOP_FILE.read_text())
lock = threading.RLock()

app = Flask(__name__)


def save():
    with lock:
        SHOP_FILE.with_suffix(".new").write_text(json.dumps(shop))
        SHOP_FILE.with_suffix(".new").replace(SHOP_FILE)


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
def start_page():
    return '<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>'


@app.post("/orders")
def create_order():
    order = {"id": str(uuid.uuid4()), "amount": 19.9, "fulfilled": False, "refunding": False, "refunded": False}
    body = {
        "amount": order["amount"],
        "observation": f"Pedido {order['id']}",
        "webhookUrl": f"{SHOP_URL}/webhooks",
    }
    # The order's own key: a retry creates no second payment.
    order["payment"] = call("/api-public/payments", body, {"Idempotency-Key": order["id"]})
    with lock:
        shop["orders"][order["id"]] = order
        save()
    return redirect(f"/orders/{order['id']}", 303)


@app.get("/orders/<order_id>")
def show_order(order_id):
    order = shop["orders"].get(order_id) or abort(404)
    if order["fulfilled"]:
        return fulfilled_page(order)
    # Without an answer of the bank there is no code yet: a read shows it later.
    if not order["payment"]["qrCopyPaste"]:
        order["payment"] = call(f"/api-public/payments/{order['payment']['id']}")
    payment = order["payment"]
    page = '<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>'
    if not payment["qrCopyPaste"]:
        return page + "<p>Um momento…</p>"
    return f"{page}<img src='{payment['qrCodeUrl']}' alt='QR code'><p><code>{payment['qrCopyPaste']}</code></p>"


def fulfilled_page(order):
    if order["refunded"]:
        return "<h1>Devolvido.</h1>"
    if order["refunding"]:
        return '<meta http-equiv="refresh" content="2"><h1>Devolução em andamento…</h1>'
    refund = f'<form method="post" action="/orders/{order["id"]}/refund"><button>Devolver</button></form>'
    return f"<h1>Pago. O pedido está a caminho.</h1>{refund}"


# A real shop lets only its own people refund. The store must allow it to its token.
@app.post("/orders/<order_id>/refund")
def refund_order(order_id):
    order = shop["orders"].get(order_id) or abort(404)
    if not order["fulfilled"]:
        abort(404)
    # One key for this decision: a retry refunds nothing twice.
    headers = {"Idempotency-Key": f"refund-{order_id}"}
    call(f"/api-public/payments/{order['payment']['id']}/refunds", {}, headers)
    with lock:
        order["refunding"] = True
        save()
    return redirect(f"/orders/{order_id}", 303)


@app.post("/webhooks")
def receive_webhook():
    headers = {name.lower(): value for name, value in request.headers.items()}
    try:
        # The signature covers the raw body: parse it only afterwards.
        event = verify_webhook(os.environ["WEBHOOK_SECRET"], headers, request.get_data())
    except ValueError:
        abort(401)
    handle(headers["webhook-id"], event)
    return "", 200


def handle(event_id, event):
    """Handles an event once, whether a webhook or the feed brings it."""
    with lock:
        if event_id in shop["handled_events"]:
            print(f"known event {event_id}", flush=True)
            return
        if event["event"] == "payment.status_changed":
            settle(event["id"])
        shop["handled_events"][event_id] = True
        save()


def settle(payment_id):
    order = next((one for one in shop["orders"].values() if one["payment"]["id"] == payment_id), None)
    if order is None:
        return
    # The event may be an old one: the payment as it is now counts.
    payment = call(f"/api-public/payments/{payment_id}")
    # A shop that was down may see a later status first. Another amount may have been approved: compare it, too.
    approved = ["approved", "paid", "withdrawal_processing", "receipt_sent", "rejected"]
    is_paid = payment["status"] in approved and payment["amount"] == order["amount"]
    if is_paid and not order["fulfilled"]:
        order["fulfilled"] = True
        print(f"fulfilled order {order['id']}", flush=True)
    if payment["status"] == "not_approved" and order["fulfilled"] and not order["refunded"]:
        order["refunded"] = True
        print(f"refunded order {order['id']}", flush=True)


def catch_up():
    page = {"items": [None]}
    while page["items"]:
        after = f"&after={shop['cursor']}" if shop["cursor"] else ""
        page = call(f"/api-public/events?limit=200{after}")
        for item in page["items"]:
            handle(item["id"], item["body"])
        with lock:
            shop["cursor"] = page["next"]
            save()


# Webhooks bring events at once. The feed brings those that they did not, such as while the shop was down.
def follow():
    while True:
        try:
            catch_up()
        except OSError as error:
            print(f"the feed: {error}", flush=True)
        time.sleep(60)


if __name__ == "__main__":
    threading.Thread(target=follow, daemon=True).start()
    app.run(port=PORT)
