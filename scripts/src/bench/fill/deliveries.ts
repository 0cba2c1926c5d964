import type { Client } from 'pg';
import { session } from '../ground.ts';
import { withoutIndexes } from './without-indexes.ts';

export type DeliveryFill = {
  storeId: string;
  count: number;
  /** Receivers, each taken in turn, or one after the other: all of the first one's, then all of the next one's. */
  urls: string[];
  grouped?: boolean;
  /** `committed`: nothing has been published yet, nor attempted; `due`: published long ago. Both are to be sent now. */
  as: 'committed' | 'due';
};

/** Enters new payments with a webhook each, in one transaction: nothing of them is seen before all are there. */
export async function fillDeliveries(databaseUrl: string, fill: DeliveryFill): Promise<void> {
  await session(databaseUrl, async (client) => {
    await client.query("set session_replication_role = 'replica'");
    await withoutIndexes(client, ['payments', 'events', 'deliveries'], fill.count, () => enter(client, fill));
  });
}

async function enter(
  client: Client,
  { storeId, count, urls, as, grouped = false }: DeliveryFill,
): Promise<void> {
  const turn = grouped
    ? '(n - 1)::bigint * cardinality($1::text[]) / $2::int'
    : '(n - 1) % cardinality($1::text[])';
  await client.query('begin');
  await client.query('create temp table made (id uuid, event uuid, url text, n int) on commit drop');
  await client.query(
    `insert into made select uuidv7(), uuidv7(), ($1::text[])[1 + ${turn}], n from generate_series(1, $2::int) n`,
    [urls, count],
  );
  await client.query(payments, [storeId]);
  await client.query(events, [storeId]);
  await client.query(deliveries(as), [storeId]);
  if (as === 'committed') await client.query('insert into outbox select event from made');
  await client.query(counts, [storeId, count]);
  await client.query('commit');
}

const code = '0'.repeat(180);

const payments = `
  insert into payments (id, store_id, status, charged, amount, observation, email, webhook_url, is_public, copy_and_paste,
    charge_state, expires_at, expiry_check_at, events, created_at)
  select id, $1::uuid, 'pending', 1990, 1990, 'Pedido 12345', 'cliente@example.com', url, true, '${code}', 'registered',
    now() + interval '1 day', now() + interval '1 day', 1, now()
  from made`;

const events = `
  insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
  select event, id, $1::uuid, 1, 'payment.created', 'pending', json_build_object('id', id, 'status', 'pending',
    'amount', 19.9, 'feeAmount', null, 'liquidValue', null, 'storeId', $1::uuid, 'createdAt', now(),
    'observation', 'Pedido 12345', 'email', 'cliente@example.com', 'qrCodeUrl', 'http://127.0.0.1:3000/qr/' || id || '.png',
    'qrCopyPaste', '${code}', 'isPublic', true), 'store', now()
  from made`;

const deliveries = (as: DeliveryFill['as']) => `
  insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, state, next_attempt_at, claimed_at,
    created_at)
  select event, id, $1::uuid, 1, url, endpoint_of($1::uuid, url), 'pending',
    now() - interval '1 minute' + n * interval '1 microsecond', ${as === 'due' ? 'null' : 'now()'}, now()
  from made`;

const counts = `
  insert into payment_counts as c (store_id, status, shard, payments) values ($1, 'pending', 0, $2)
  on conflict (store_id, status, shard) do update set payments = c.payments + excluded.payments`;
