"""Takes a payment with the generated Python client in the folder of the first argument."""

import json
import sys

folder, host, token = sys.argv[1:]
sys.path.insert(0, folder)
import payments  # noqa: E402
from payments.rest import ApiException  # noqa: E402

configuration = payments.Configuration(host=host)
configuration.access_token = token
api = payments.PaymentsApi(payments.ApiClient(configuration))
order = payments.CreatePayment(amount=19.9, observation="Açaí", email=None, reference="pedido-42")
created = api.create_payment(order)
read = api.get_payment(created.id)
page = api.list_payments(limit=1, status="pending")
try:
    api.get_payment("0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36")
except ApiException as error:
    refusal = [error.status, json.loads(error.body)["message"]]
print(json.dumps({
    "created": [created.status, created.amount, created.fee_amount, created.email, created.is_public],
    "same": read.id == created.id and read.created_at == created.created_at,
    "read": [read.observation, read.webhook_url, read.reference],
    "page": [page.total, page.limit, page.items[0].id == created.id],
    "refusal": refusal,
}))
