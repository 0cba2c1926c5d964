import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { connect } from 'nats';
import pg from 'pg';
import { Agent } from 'undici';

/** The bare API: it creates payments with the bank's code, and settles them on the bank's callback. */
const { DATABASE_URL, NATS_URL, NATS_STREAM, PIX_URL, PIX_CLIENT_ID, PIX_CLIENT_SECRET, PIX_KEY, PORT } =
  process.env as Record<string, string>;
const database = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const nats = await connect({ servers: NATS_URL! });
const stream = nats.jetstream();
const bank = new Agent({ connections: 10 });

const basic = Buffer.from(`${PIX_CLIENT_ID}:${PIX_CLIENT_SECRET}`).toString('base64');
const grant = { grant_type: 'client_credentials' };
const issued = await call('POST', '/oauth/token', `Basic ${basic}`, grant);
const authorization = `Bearer ${issued.access_token}`;

type Answer = { access_token: string; pixCopiaECola: string };

async function call(method: 'GET' | 'POST' | 'PUT', path: string, credentials: string, body?: object) {
  const { statusCode, body: answer } = await bank.request({
    origin: PIX_URL!,
    path,
    method,
    headers: { authorization: credentials, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (statusCode > 201) throw new Error(`${method} ${path} answered ${statusCode}: ${text}`);
  return (text === '' ? {} : JSON.parse(text)) as Answer;
}

const creation = `
  with payment as (
    insert into payments (id, store_id, status, amount, code, webhook_url, body)
    select $2, store_id, 'pending', $3, $4, $5, $6 from tokens where token = $1
    returning id
  ), event as (
    insert into events (id, payment_id, payload) select $7, id, $8 from payment
  ), unpublished as (
    insert into outbox (event_id) select $7 from payment
  )
  insert into deliveries (id, url, state) select $7, $5, 'pending' from payment`;

type Order = { amount: number; email: string; observation: string; webhookUrl: string };

async function create(order: Order, token: string | undefined): Promise<object> {
  const [id, eventId] = [randomUUID(), randomUUID()];
  const { pixCopiaECola } = await call('PUT', `/cob/${id.replaceAll('-', '')}`, authorization, {
    calendario: { expiracao: 3600 },
    valor: { original: order.amount.toFixed(2) },
    chave: PIX_KEY,
  });
  const payment = { id, status: 'pending', qrCopyPaste: pixCopiaECola, ...order };
  const event = { id: eventId, type: 'payment.created', payment };
  const amount = Math.round(order.amount * 100);
  const values = [token, id, amount, pixCopiaECola, order.webhookUrl, payment, eventId, event];
  await database.query({ name: 'creation', text: creation, values });
  void publish(event);
  return payment;
}

const settlement = `
  with received as (
    insert into pix (end_to_end_id, payment_id, amount) values ($1, $2, $3)
    on conflict do nothing
    returning payment_id
  ), payment as (
    update payments set status = 'approved' where id = (select payment_id from received) and status = 'pending'
    returning id, webhook_url
  ), event as (
    insert into events (id, payment_id, payload) select $4, id, $5 from payment
  ), unpublished as (
    insert into outbox (event_id) select $4 from payment
  )
  insert into deliveries (id, url, state) select $4, webhook_url, 'pending' from payment`;

type Received = { txid: string; endToEndId: string };

async function settle({ txid, endToEndId }: Received): Promise<void> {
  await call('GET', `/cob/${txid}`, authorization);
  const id = txid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const client = await database.connect();
  let isOver = false;
  try {
    await client.query('begin');
    const locked = { name: 'lock', text: 'select * from payments where id = $1 for update', values: [id] };
    const { rows } = await client.query(locked);
    const { amount, body } = rows[0];
    const payment = { ...body, status: 'approved' };
    const event = { id: randomUUID(), type: 'payment.status_changed', payment, previousStatus: body.status };
    const values = [endToEndId, id, amount, event.id, event];
    await client.query({ name: 'settlement', text: settlement, values });
    await client.query('commit');
    isOver = true;
    void publish(event);
  } finally {
    client.release(!isOver);
  }
}

async function publish(event: { id: string }): Promise<void> {
  await stream.publish(`${NATS_STREAM}.event`, JSON.stringify(event), { msgID: event.id });
  await database.query({
    name: 'published',
    text: 'delete from outbox where event_id = $1',
    values: [event.id],
  });
}

async function answer(request: IncomingMessage): Promise<object> {
  if (request.method === 'GET') return {};
  const body = await json(request);
  if (request.url === '/api-public/payments') return create(body as Order, request.headers.authorization);
  for (const pix of (body as { pix: Received[] }).pix) await settle(pix);
  return {};
}

const server = createServer((request, response) => {
  answer(request)
    .then((body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)))
    .catch((error: unknown) => response.writeHead(500).end(String(error)));
});
server.listen(Number(PORT), '127.0.0.1');
const webhookUrl = `http://127.0.0.1:${PORT}/callback`;
await call('PUT', `/webhook/${encodeURIComponent(PIX_KEY!)}`, authorization, { webhookUrl });
