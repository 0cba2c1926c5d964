import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import {
  type CreatedPayment,
  createClient,
  type VerifiedWebhook,
  verifyWebhook,
} from 'public-payments-client';

/** A shop with Fastify: it charges by Pix, and fulfils an order once its payment is approved. */
const { PAYMENTS_URL = '', PAYMENTS_TOKEN = '', WEBHOOK_SECRET = '', PORT = '4100' } = process.env;
const shopUrl = process.env.SHOP_URL ?? `http://127.0.0.1:${PORT}`;
const payments = createClient({ baseUrl: PAYMENTS_URL, token: PAYMENTS_TOKEN });

type Order = { id: string; amount: number; isFulfilled: boolean; payment?: CreatedPayment };

// A real shop keeps both in its database, and changes them in one transaction.
const orders = new Map<string, Order>();
const handledWebhooks = new Set<string>();

const app = Fastify();

app.get('/', async (_request, reply) =>
  reply
    .type('text/html')
    .send('<h1>Loja</h1><form method="post" action="/orders"><button>Comprar por R$ 19,90</button></form>'),
);

// The form has no fields.
app.addContentTypeParser('application/x-www-form-urlencoded', async () => ({}));

app.post('/orders', async (_request, reply) => {
  const order: Order = { id: randomUUID(), amount: 19.9, isFulfilled: false };
  orders.set(order.id, order);
  order.payment = await payments.create(
    { amount: order.amount, observation: `Pedido ${order.id}`, webhookUrl: `${shopUrl}/webhooks` },
    // The order's own key: a retry creates no second payment.
    { idempotencyKey: order.id },
  );
  return reply.redirect(`/orders/${order.id}`, 303);
});

app.get<{ Params: { id: string } }>('/orders/:id', async (request, reply) => {
  const order = orders.get(request.params.id);
  if (!order?.payment) return reply.code(404).send('');
  if (order.isFulfilled) return reply.type('text/html').send('<h1>Pago. O pedido está a caminho.</h1>');
  // Without an answer of the bank there is no code yet: a read shows it later.
  if (!order.payment.qrCopyPaste) order.payment = await payments.get(order.payment.id);
  const { qrCodeUrl, qrCopyPaste } = order.payment;
  const code = qrCopyPaste
    ? `<img src="${qrCodeUrl}" alt="QR code"><p><code>${qrCopyPaste}</code></p>`
    : '<p>Um momento…</p>';
  return reply.type('text/html').send(`<meta http-equiv="refresh" content="2"><h1>Pague com Pix</h1>${code}`);
});

app.register(async (webhooks) => {
  // The signature covers the raw body: parse it only afterwards.
  webhooks.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );
  webhooks.post<{ Body: Buffer }>('/webhooks', async ({ headers, body }, reply) => {
    const webhook = await verifyWebhook({ secret: WEBHOOK_SECRET, headers, body }).catch(() => undefined);
    if (!webhook) return reply.code(401).send('');
    handle(webhook);
    return reply.code(200).send('');
  });
});

function handle({ id, event }: VerifiedWebhook): void {
  if (handledWebhooks.has(id)) {
    console.log(`known webhook ${id}`);
    return;
  }
  handledWebhooks.add(id);
  const order = [...orders.values()].find(({ payment }) => payment?.id === event.id);
  if (!order || order.isFulfilled) return;
  // Another amount may have been approved: compare it before you deliver.
  if (event.status !== 'approved' || event.amount !== order.amount) return;
  order.isFulfilled = true;
  console.log(`fulfilled order ${order.id}`);
}

await app.listen({ host: '127.0.0.1', port: Number(PORT) });
console.log(`shop at ${shopUrl}`);
