import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import express from 'express';
import { createClient, verifyWebhook } from 'public-payments-client';

/** A shop with Express: it charges by Pix, fulfils an order once its payment is approved, and refunds it. */
const { PAYMENTS_URL, PAYMENTS_TOKEN, WEBHOOK_SECRET, PORT = '4100', SHOP_FILE = 'shop.json' } = process.env;
const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${PORT}`;
const payments = createClient({ baseUrl: PAYMENTS_URL, token: PAYMENTS_TOKEN });

// A real shop keeps all of this in its database, and changes it in one transaction.
const shop = existsSync(SHOP_FILE)
  ? JSON.parse(readFileSync(SHOP_FILE, 'utf8'))
  : { orders: {}, handledEvents: {}, cursor: undefined };

function save() {
  writeFileSync(`${SHOP_FILE}.new`, JSON.stringify(shop));
  renameSync(`${SHOP_FILE}.new`, SHOP_FILE);
}

const app = express();

app.get('/', (_request, response) => {
  response.send(
    '<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>',
  );
});

app.post('/orders', async (_request, response) => {
  const order = { id: randomUUID(), amount: 19.9, isFulfilled: false };
  order.payment = await payments.create(
    { amount: order.amount, observation: `Pedido ${order.id}`, webhookUrl: `${shopUrl}/webhooks` },
    // The order's own key: a retry creates no second payment.
    { idempotencyKey: order.id },
  );
  shop.orders[order.id] = order;
  save();
  response.redirect(303, `/orders/${order.id}`);
});

app.get('/orders/:id', async (request, response) => {
  const order = shop.orders[request.params.id];
  if (!order) return response.sendStatus(404);
  if (order.isFulfilled) return response.send(fulfilledPage(order));
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

function fulfilledPage({ id, isRefunding, isRefunded }) {
  if (isRefunded) return '<h1>Devolvido.</h1>';
  if (isRefunding) return '<meta http-equiv="refresh" content="2"><h1>Devolução em andamento…</h1>';
  const refund = `<form method="post" action="/orders/${id}/refund"><button>Devolver</button></form>`;
  return `<h1>Pago. O pedido está a caminho.</h1>${refund}`;
}

// A real shop lets only its own people refund. The store must allow it to its token.
app.post('/orders/:id/refund', async (request, response) => {
  const order = shop.orders[request.params.id];
  if (!order?.isFulfilled) return response.sendStatus(404);
  // One key for this decision: a retry refunds nothing twice.
  await payments.refund(order.payment.id, {}, { idempotencyKey: `refund-${order.id}` });
  order.isRefunding = true;
  save();
  response.redirect(303, `/orders/${order.id}`);
});

// The signature covers the raw body: parse it only afterwards.
app.post('/webhooks', express.raw({ type: 'application/json' }), async (request, response) => {
  const received = { secret: WEBHOOK_SECRET, headers: request.headers, body: request.body };
  const webhook = await verifyWebhook(received).catch(() => undefined);
  if (!webhook) return response.sendStatus(401);
  await handle(webhook);
  response.sendStatus(200);
});

/** Handles an event once, whether a webhook or the feed brings it. */
async function handle({ id, event }) {
  if (shop.handledEvents[id]) return console.log(`known event ${id}`);
  if (event.event === 'payment.status_changed') await settle(event.id);
  shop.handledEvents[id] = true;
  save();
}

async function settle(paymentId) {
  const order = Object.values(shop.orders).find(({ payment }) => payment.id === paymentId);
  if (!order) return;
  // The event may be an old one: the payment as it is now counts.
  const { status, amount } = await payments.get(paymentId);
  // A shop that was down may see a later status first. Another amount may have been approved: compare it, too.
  const approved = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent', 'rejected'];
  if (approved.includes(status) && amount === order.amount && !order.isFulfilled) {
    order.isFulfilled = true;
    console.log(`fulfilled order ${order.id}`);
  }
  if (status === 'not_approved' && order.isFulfilled && !order.isRefunded) {
    order.isRefunded = true;
    console.log(`refunded order ${order.id}`);
  }
}

// Webhooks bring events at once. The feed brings those that they did not, such as while the shop was down.
const cursor = {
  load: () => shop.cursor,
  save: (next) => {
    shop.cursor = next;
    save();
  },
};

async function catchUp() {
  for await (const { id, body } of payments.events({ cursor, untilNow: true }))
    await handle({ id, event: body });
}

app.listen(Number(PORT), '127.0.0.1', () => console.log(`shop at ${shopUrl}`));
const follow = () => catchUp().catch((error) => console.error(`the feed: ${error.message}`));
await follow();
setInterval(follow, 60_000);
