import { firstIdOf } from '@payments/domain/identifiers';
import { testBank } from '@payments/domain/route-charge';
import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Removal } from '../deliveries/retention.ts';
import { eachFigure } from '../totals/rows.ts';
import { inTransaction } from '../transaction.ts';

/**
 * Erases up to `limit` payments of test stores that were created before `before` and are at rest, with all that belongs
 * to them; then unmatched Pix at the test bank (Contract: test stores). Counts and totals forget them, too. The record
 * of changes stays, since nobody can change it.
 * @returns how many were erased
 */
export async function eraseTestData(db: Queryable, { before, limit }: Removal): Promise<number> {
  return inTransaction(db, async (trx) => {
    const { rows } = await sql<{ id: string }>`
      select id from payments p
      where test and id < ${firstIdOf(before)} and created_at < ${before}
        and status <> 'pending' and charge_try_at is null and review_since is null
        and not exists (select from refunds where payment_id = p.id and (try_at is not null or order_again_at is not null))
        and not exists (select from deliveries where state = 'pending'
          and id = any(array(select id from events where payment_id = p.id)))
      order by id limit ${limit} for update skip locked`.execute(trx);
    const ids = rows.map(({ id }) => id);
    if (ids.length > 0) await erasePayments(trx, ids);
    const pix = await eraseUnmatched(trx, { before, limit });
    return Math.max(ids.length, pix);
  });
}

async function erasePayments(trx: Queryable, ids: readonly string[]): Promise<void> {
  const theirs = sql`payment_id = any(${[...ids]}::uuid[])`;
  await forgetFigures(trx, theirs);
  await sql`
    insert into payment_counts as known (store_id, status, shard, payments)
    select store_id, status, pg_backend_pid() % 32, -count(*) from payments
    where id = any(${[...ids]}::uuid[]) group by 1, 2 order by 1, 2
    on conflict (store_id, status, shard) do update set payments = known.payments + excluded.payments`.execute(
    trx,
  );
  const events = sql`array(select id from events where ${theirs})`;
  await sql`delete from outbox where event_id = any(${events})`.execute(trx);
  await sql`delete from deliveries where id = any(${events})`.execute(trx);
  for (const table of ['events', 'refunds', 'pix_received', 'charge_problems', 'unheard_charges'])
    await sql`delete from ${sql.table(table)} where ${theirs}`.execute(trx);
  await sql`delete from idempotency_keys where ${theirs}`.execute(trx);
  await sql`delete from payments where id = any(${[...ids]}::uuid[])`.execute(trx);
}

/** With what fails of charges that no payment has any more. @returns how many unmatched Pix were erased */
async function eraseUnmatched(trx: Queryable, { before, limit }: Removal): Promise<number> {
  await sql`delete from charge_problems where bank = ${testBank} and since < ${before}`.execute(trx);
  const { rows } = await sql<{ id: string }>`
    select end_to_end_id as id from pix_received
    where bank = ${testBank} and payment_id is null and paid_at < ${before} and received_at < ${before}
    order by paid_at limit ${limit} for update skip locked`.execute(trx);
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await forgetFigures(trx, sql`payment_id is null and end_to_end_id = any(${ids})`);
  await sql`delete from refunds where end_to_end_id = any(${ids})`.execute(trx);
  await sql`delete from pix_received where end_to_end_id = any(${ids})`.execute(trx);
  return ids.length;
}

/** Takes what goes out of the kept totals, as a change of it would. */
async function forgetFigures(trx: Queryable, where: RawBuilder<unknown>): Promise<void> {
  await sql`
    insert into total_changes (day, store_id, status, bank, ${eachFigure((figure) => figure)})
    select day_of(moment), store_id, status, bank, ${eachFigure((figure) => sql`-${figure}`)}
    from figures where ${where}`.execute(trx);
}
