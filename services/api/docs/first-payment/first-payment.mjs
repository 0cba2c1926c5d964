// Save as first-payment.mjs, then run: node first-payment.mjs
const authorization = { Authorization: `Bearer ${process.env.TOKEN}` };

async function call(url, headers, body) {
  const response = await fetch(url, {
    method: body ? 'POST' : 'GET',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${answer.statusCode} ${answer.message}`);
  return answer;
}

// 1. Create a payment. A retry with the same key creates no second payment.
let payment = await call(
  '{base_url}/api-public/payments',
  { ...authorization, 'Idempotency-Key': `order-${Date.now()}` },
  { amount: 19.9, observation: 'Pedido 42' },
);

// 2. Show the code to the customer.
console.log(payment.qrCopyPaste);
console.log(payment.id);

// local
// 3. The customer pays: here, at the simulated bank.
await call('{bank_url}/bank/pay', {}, { pixCopiaECola: payment.qrCopyPaste });

// /local
// 4. Wait for the result. Only approved means that the money is there.
while (payment.status === 'pending') {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  payment = await call(`{base_url}/api-public/payments/${payment.id}`, authorization);
}
console.log(payment.status, payment.amount);
