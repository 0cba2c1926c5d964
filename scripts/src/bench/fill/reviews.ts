import { appendFileSync } from 'node:fs';
import type { Client } from 'pg';
import { type Ground, pspClient, session } from '../ground.ts';

const hourMs = 3_600_000;

export type ReviewsFill = {
  storeId: string;
  count: number;
  beforeShown: () => Promise<unknown>;
  dispatcher: number;
};

/**
 * Enters payments that have been in review for an hour, each with the Pix that was received then, here and at the bank,
 * which starts anew on its journal. PostgreSQL shows them all at once, when the bank knows them; what so many new rows
 * leave behind (statistics, visibility, a checkpoint) is seen to first, since it is not what draining them costs.
 * @param beforeShown runs on the bank's new process, before anybody sees a review
 * @param dispatcher its process id: it stands still meanwhile
 */
export async function fillReviews(
  ground: Ground,
  databaseUrl: string,
  { storeId, count, beforeShown, dispatcher }: ReviewsFill,
): Promise<void> {
  await session(databaseUrl, async (client) => {
    await client.query("set session_replication_role = 'replica'");
    await client.query('begin');
    await client.query(payments, [storeId, count]);
    await client.query(events, [storeId]);
    await client.query(pix, [storeId]);
    await client.query(counts, [storeId, count]);
    await tellBank(ground, client, storeId);
    await beforeShown();
    process.kill(dispatcher, 'SIGSTOP');
    await client.query('commit');
    for (const table of ['payments', 'events', 'pix_received', 'payment_counts'])
      await client.query(`vacuum (analyze) ${table}`);
    await client.query('checkpoint');
    process.kill(dispatcher, 'SIGCONT');
  });
}

const payments = `
  insert into payments (id, store_id, status, charged, amount, is_public, copy_and_paste, charge_state, expires_at,
    expiry_check_at, review_since, events, created_at)
  select uuidv7(), $1::uuid, 'review', 1990, 1990, true, 'code', 'closed', now(), now(),
    now() - interval '1 hour' + n * interval '1 millisecond', 1, now()
  from generate_series(1, $2::int) n`;

const events = `
  insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
  select uuidv7(), id, store_id, 1, 'payment.created', 'pending', '{}', 'store', now()
  from payments where store_id = $1 and status = 'review'`;

const pix = `
  insert into pix_received (end_to_end_id, payment_id, amount, effect, paid_at, received_at)
  select 'E' || left(replace(uuidv4()::text, '-', ''), 31), id, amount, 'review', review_since, review_since
  from payments where store_id = $1 and status = 'review'`;

const counts = `
  insert into payment_counts as c (store_id, status, shard, payments) values ($1, 'review', 0, $2)
  on conflict (store_id, status, shard) do update set payments = c.payments + excluded.payments`;

type Received = { endToEndId: string; paymentId: string };

/** As the simulator itself keeps charges and Pix (packages/pix-simulator/src/ledger.ts). */
async function tellBank(ground: Ground, client: Client, storeId: string): Promise<void> {
  const { rows } = await client.query<Received>(
    `select x.end_to_end_id as "endToEndId", x.payment_id as "paymentId" from pix_received x
      join payments p on p.id = x.payment_id where p.store_id = $1`,
    [storeId],
  );
  const then = Date.now() - hourMs;
  const lines = rows.flatMap(({ endToEndId, paymentId }, index) => {
    const txid = paymentId.replaceAll('-', '');
    const terms = {
      calendario: { expiracao: 86_400 },
      valor: { original: '19.90' },
      chave: pspClient.PIX_KEY,
    };
    const location = `pix.example.com/qr/${txid.slice(0, 22)}${index}`;
    const charge = {
      txid,
      terms,
      createdAt: then,
      revision: 0,
      status: 'CONCLUIDA',
      locationId: index + 1,
      location,
    };
    const received = { endToEndId, txid, key: pspClient.PIX_KEY, amount: 1_990, paidAt: then, refunds: [] };
    return [JSON.stringify({ charge }), JSON.stringify({ pix: received })];
  });
  await ground.restartBank(() => appendFileSync(ground.bankJournal, `${lines.join('\n')}\n`));
}
