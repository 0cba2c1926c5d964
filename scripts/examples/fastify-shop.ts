import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import Fastify from 'fastify';
import { type CreatedPayment, createClient, type StoreEvent, verifyWebhook } from 'public-payments-client';

/** A shop with Fastify: it charges by Pix, fulfils an order once its payment is approved, and refunds it. */
const { PAYMENTS_URL = '', PAYMENTS_TOKEN = '', WEBHOOK_SECRET = '' } = process.env;
const { PORT = '4100', SHOP_FILE = 'shop.json' } = process.env;
const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${PORT}`;
const payments = createClient({ baseUrl: PAYMENTS_URL, token: PAYMENTS_TOKEN });

type Order = {
  id: string;
  amount: number;
  payment: CreatedPayment;
  isFulfilled: boolean;
  isRefunding?: boolean;
  isRefunded?: boolean;
};
type Shop = { orders: Record<string, Order>; handledEvents: Record<string, true>; cursor?: string };

// A real shop keeps all of this in its database, and changes it in one transaction.
const shop: Shop = existsSync(SHOP_FILE)
  ? JSON.parse(readFileSync(SHOP_FILE, 'utf8'))
  : { orders: {}, handledEvents: {} };

function save(): void {
  writeFileSync(`${SHOP_FILE}.new`, JSON.stringify(shop));
  renameSync(`${SHOP_FILE}.new`, SHOP_FILE);
}

const app = Fastify();

app.get('/', async (_request, reply) =>
  reply
    .type('text/html')
    .send('<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>'),
);

// The forms have no fields.
app.addContentTypeParser('application/x-www-form-urlencoded', async () => ({}));

app.post('/orders', async (_request, reply) => {
  const [id, amount] = [randomUUID(), 19.9];
  const payment = await payments.create(
    { amount, observation: `Pedido ${id}`, webhookUrl: `${shopUrl}/webhooks` },
    // The order's own key: a retry creates no second payment.
    { idempotencyKey: id },
  );
  shop.orders[id] = { id, amount, payment, isFulfilled: false };
  save();
  return reply.redirect(`/orders/${id}`, 303);
});

app.get<{ Params: { id: string } }>('/orders/:id', async (request, reply) => {
  const order = shop.orders[request.params.id];
  if (!order) return reply.code(404).send('');
  if (order.isFulfilled) return reply.type('text/html').send(fulfilledPage(order));
  // Without an answer of the bank there is no code yet: a read shows it later.
  if (!order.payment.qrCopyPaste) order.payment = await payments.get(order.payment.id);
  const { qrCodeUrl, qrCopyPaste } = order.payment;
  const code = qrCopyPaste
    ? `<img src="${qrCodeUrl}" alt="QR code"><p><code>${qrCopyPaste}</code></p>`
    : '<p>Um momento…</p>';
  return reply.type('text/html').send(`<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>${code}`);
});

function fulfilledPage({ id, isRefunding, isRefunded }: Order): string {
  if (isRefunded) return '<h1>Devolvido.</h1>';
  if (isRefunding) return '<meta http-equiv="refresh" content="2"><h1>Devolução em andamento…</h1>';
  const refund = `<form method="post" action="/orders/${id}/refund"><button>Devolver</button></form>`;
  return `<h1>Pago. O pedido está a caminho.</h1>${refund}`;
}

// A real shop lets only its own people refund. The store must allow it to its token.
app.post<{ Params: { id: string } }>('/orders/:id/refund', async (request, reply) => {
  const order = shop.orders[request.params.id];
  if (!order?.isFulfilled) return reply.code(404).send('');
  // One key for this decision: a retry refunds nothing twice.
  await payments.refund(order.payment.id, {}, { idempotencyKey: `refund-${order.id}` });
  order.isRefunding = true;
  save();
  return reply.redirect(`/orders/${order.id}`, 303);
});

app.register(async (webhooks) => {
  // The signature covers the raw body: parse it only afterwards.
  webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  webhooks.post<{ Body: Buffer }>('/webhooks', async ({ headers, body }, reply) => {
    const webhook = await verifyWebhook({ secret: WEBHOOK_SECRET, headers, body }).catch(() => undefined);
    if (!webhook) return reply.code(401).send('');
    await handle(webhook);
    return reply.code(200).send('');
  });
});

/** Handles an event once, whether a webhook or the feed brings it. */
async function handle({ id, event }: { id: string; event: StoreEvent }): Promise<void> {
  if (shop.handledEvents[id]) {
    console.log(`known event ${id}`);
    return;
  }
  if (event.event === 'payment.status_changed') await settle(event.id);
  shop.handledEvents[id] = true;
  save();
}

async function settle(paymentId: string): Promise<void> {
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
  save: (next: string) => {
    shop.cursor = next;
    save();
  },
};

async function catchUp(): Promise<void> {
  for await (const { id, body } of payments.events({ cursor, untilNow: true }))
    await handle({ id, event: body });
}

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
console.log(`shop at ${shopUrl}`);
const follow = () => catchUp().catch((error: Error) => console.error(`the feed: ${error.message}`));
await follow();
setInterval(follow, 60_000);
