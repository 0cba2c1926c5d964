import { ApiError, createClient } from 'public-payments-client';

const payments = createClient({
  baseUrl: process.env.PAYMENTS_URL ?? 'http://localhost:3000',
  token: process.env.PAYMENTS_TOKEN ?? '',
});

const order = { id: 'order-42', amount: 19.9 };
// The internal statuses follow approved.
const approved = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected'];

try {
  // The client retries after time-outs, 408, 429 and 5xx. The key makes sure that one payment is created.
  const payment = await payments.create(
    { amount: order.amount, observation: 'Pedido 42', webhookUrl: process.env.WEBHOOK_URL },
    { idempotencyKey: order.id },
  );
  console.log('show', payment.qrCodeUrl, payment.qrCopyPaste);

  const { status, amount } = await payments.waitFor(payment.id);
  // Another amount may have been approved: compare it before you deliver.
  const isPaid = approved.includes(status) && amount === order.amount;
  console.log(isPaid ? 'deliver' : `do not deliver: ${status} ${amount}`);

  for await (const { id, amount } of payments.each({ status: 'approved' })) console.log(id, amount);
} catch (error) {
  if (!(error instanceof ApiError)) throw error;
  console.error(error.statusCode, error.code, error.message, error.requestId);
}
