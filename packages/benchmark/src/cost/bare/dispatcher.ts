import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { AckPolicy, connect, type JsMsg } from 'nats';
import pg from 'pg';
import { Agent } from 'undici';

/** The bare dispatcher: it claims each event's delivery, posts it signed, and records the attempt. */
const { DATABASE_URL, NATS_URL, NATS_STREAM, PORT } = process.env as Record<string, string>;
const database = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const nats = await connect({ servers: NATS_URL! });
const agent = new Agent();

const durable = 'dispatchers';
const consumers = (await nats.jetstreamManager()).consumers;
await consumers.add(NATS_STREAM!, { durable_name: durable, ack_policy: AckPolicy.Explicit });
const consumer = await nats.jetstream().consumers.get(NATS_STREAM!, durable);
createServer((_request, response) => response.end()).listen(Number(PORT), '127.0.0.1');
for await (const message of await consumer.consume()) void deliver(message);

async function deliver(message: JsMsg): Promise<void> {
  const body = message.string();
  const { id } = JSON.parse(body) as { id: string };
  const claim = `update deliveries set state = 'claimed' where id = $1 and state = 'pending' returning url`;
  const { rows } = await database.query<{ url: string }>({ name: 'claim', text: claim, values: [id] });
  if (!rows[0]) return message.ack();
  const status = await post(rows[0].url, id, body);
  const record = `
    with delivered as (update deliveries set state = 'delivered' where id = $1)
    insert into attempts (delivery_id, status) values ($1, $2)`;
  await database.query({ name: 'record', text: record, values: [id, status] });
  message.ack();
}

async function post(url: string, id: string, body: string): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', 'bare').update(`${id}.${timestamp}.${body}`).digest('base64');
  const { origin, pathname: path } = new URL(url);
  const answer = await agent.request({
    origin,
    path,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
    },
    body,
  });
  await answer.body.dump();
  return answer.statusCode;
}
