import { randomUUID } from 'node:crypto';
import express from 'express';
import { createClient, verifyWebhook } from 'public-payments-client';

/** A shop with Express: it charges by Pix, and fulfils an order once its payment is approved. */
const { PAYMENTS_URL, PAYMENTS_TOKEN, WEBHOOK_SECRET, PORT = '4100' } = process.env;
const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${PORT}`;
const payments = createClient({ baseUrl: PAYMENTS_URL, token: PAYMENTS_TOKEN });

// A real shop keeps both in its database, and changes them in one transaction.
const orders = new Map();
const handledWebhooks = new Set();

const app = express();

app.get('/', (_request, response) => {
  response.send(
    '<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>',
  );
});

app.post('/orders', async (_request, response) => {
  const order = { id: randomUUID(), amount: 19.9, isFulfilled: false };
  orders.set(order.id, order);
  order.payment = await payments.create(
    { amount: order.amount, observation: `Pedido ${order.id}`, webhookUrl: `${shopUrl}/webhooks` },
    // The order's own key: a retry creates no second payment.
    { idempotencyKey: order.id },
  );
  response.redirect(303, `/orders/${order.id}`);
});

app.get('/orders/:id', async (request, response) => {
  const order = orders.get(request.params.id);
  if (!order) return response.sendStatus(404);
  if (order.isFulfilled) return response.send('<h1>Pago. O pedido está a caminho.</h1>');
  // Without an answer of the bank there is no code yet: a read shows it later.
  order.payment = order.payment.qrCopyPaste ? order.payment : await payments.get(order.payment.id);
  const { qrCodeUrl, qrCopyPaste } = order.payment;
  response.send(
    `<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>${
      qrCopyPaste
        ? `<img src="${qrCodeUrl}" alt="QR code"><p><code>${qrCopyPaste}</code></p>`
        : '<p>Um momento…</p>'
    }`,
  );
});

// The signature covers the raw body: parse it only afterwards.
app.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {
  const received = { secret: WEBHOOK_SECRET, headers: request.headers, body: request.body };
  const webhook = await verifyWebhook(received).catch(() => undefined);
  if (!webhook) return response.sendStatus(401);
  response.sendStatus(200);
  handle(webhook);
});

function handle({ id, event }) {
  if (handledWebhooks.has(id)) return console.log(`known webhook ${id}`);
  handledWebhooks.add(id);
  const order = [...orders.values()].find(({ payment }) => payment?.id === event.id);
  if (!order || order.isFulfilled) return;
  // Another amount may have been approved: compare it before you deliver.
  if (event.status !== 'approved' || event.amount !== order.amount) return;
  order.isFulfilled = true;
  console.log(`fulfilled order ${order.id}`);
}

app.listen(Number(PORT), '127.0.0.1', () => console.log(`shop at ${shopUrl}`));
