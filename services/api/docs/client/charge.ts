import { ApiError, createClient } from 'public-payments-client';

const payments = createClient({
  baseUrl: process.env.PAYMENTS_URL ?? 'http://localhost:3000',
  token: process.env.PAYMENTS_TOKEN ?? '',
});

try {
  // The client retries after time-outs, 429 and 5xx. The key makes sure that one payment is created.
  const payment = await payments.create(
    { amount: 19.9, observation: 'Pedido 42', webhookUrl: process.env.WEBHOOK_URL },
    { idempotencyKey: 'order-42' },
  );
  console.log('show', payment.qrCodeUrl, payment.qrCopyPaste);

  const { status } = await payments.waitFor(payment.id);
  console.log(status === 'approved' ? 'deliver' : `not paid: ${status}`);

  for await (const { id, amount } of payments.each({ status: 'approved' })) console.log(id, amount);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.statusCode, error.code, error.message, error.requestId);
}
