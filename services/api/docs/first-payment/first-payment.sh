# 1. Create a payment. A retry with the same key creates no second payment.
payment=$(curl -s {base_url}/api-public/payments \
  -H "Authorization: Bearer $TOKEN" \
  -H 'Content-Type: application/json' \
  -H "Idempotency-Key: order-$(date +%s)" \
  -d '{"amount": 19.90, "observation": "Pedido 42"}')
id=$(echo "$payment" | sed -E 's/.*"id":"([^"]+)".*/\1/')
code=$(echo "$payment" | sed -E 's/.*"qrCopyPaste":"([^"]+)".*/\1/')

# 2. Show the code to the customer.
echo "$code"
echo "$id"

# local
# 3. The customer pays: here, at the simulated bank.
curl -s {bank_url}/bank/pay \
  -H 'Content-Type: application/json' \
  -d "{\"pixCopiaECola\": \"$code\"}"

# /local
# 4. Wait for the result. Only approved means that the money is there.
until curl -s {base_url}/api-public/payments/$id \
  -H "Authorization: Bearer $TOKEN" | grep '"status":"approved"'
do sleep 1; done
