import { sql } from 'kysely';
import t from 'tap';
import { claimDueCharges, claimExpired } from '../src/charges/charges.ts';
import { claimChargesSetAside } from '../src/charges/problems.ts';
import { connect, type Database } from '../src/connection.ts';
import { findOverdueReviews } from '../src/payments/reviews.ts';
import { claimDueRefunds } from '../src/refunds/claims.ts';
import { findRefundsToOrderAgain } from '../src/refunds/refunds.ts';
import { entriesRead } from './entries-read.ts';
import { openDatabase } from './rows.ts';

/** Payments and refunds that nothing is left to do for. */
const allDone = [
  `insert into stores (id, name, max_amount, webhook_secret, created_at)
    values (uuidv7(), 'Loja', 300000, 'whsec_x', now())`,
  `insert into payments (id, store_id, status, charged, amount, is_public, copy_and_paste, charge_state, expires_at,
      expiry_check_at, events, created_at)
    select uuidv7(), s.id, 'approved', 1000, 1000, true, 'code', 'closed', now(), now(), 1, now()
    from stores s, generate_series(1, 10000)`,
  `insert into pix_received (end_to_end_id, payment_id, amount, effect, paid_at, received_at)
    select 'E' || id, id, 1000, 'approved', now(), now() from payments`,
  `insert into refunds (id, end_to_end_id, payment_id, amount, wanted, origin, reason, state, created_at, updated_at)
    select 'R', end_to_end_id, payment_id, 1000, 1000, 'bank', 'bank', 'refunded', now(), now() from pix_received`,
  `insert into charge_problems (txid, work, payment_id, error, since)
    select replace(id::text, '-', ''), 'cancel', id, 'refused', now() from payments`,
  'vacuum analyze',
];

/** All of them are due at once; statistics say that nothing is. */
const allDue = [
  `update payments p set status = case when n % 2 = 0 then 'review' else 'pending' end,
      review_since = now() - interval '1 hour', expiry_check_at = now() - interval '1 hour',
      charge_try_at = now() - interval '1 hour'
    from (select id, row_number() over () as n from payments) numbered where numbered.id = p.id`,
  `update refunds set state = 'requested', try_at = now() - interval '1 hour',
      order_again_at = now() - interval '1 hour'`,
  `update charge_problems set work = 'settle', try_at = now() - interval '1 hour'`,
];

const tables = ['payments', 'refunds', 'pix_received', 'charge_problems'];

t.test('what a scan reads follows from its limit, whatever the statistics say is due', async (t) => {
  const { db, url } = await openDatabase(t, 1);
  const inNewSession = connect(url, { poolSize: 1 });
  const now = new Date();
  const limit = 10;
  const lease = { limit, leaseMs: 60_000, now };
  const scans: [string, (on: Database) => Promise<unknown>][] = [
    ['payments_review_due', (on) => findOverdueReviews(on, { since: now, after: undefined, limit })],
    ['payments_to_expire', (on) => claimExpired(on, lease)],
    ['payments_charge_due', (on) => claimDueCharges(on, lease)],
    ['refunds_due', (on) => claimDueRefunds(on, lease)],
    ['refunds_to_order_again', (on) => findRefundsToOrderAgain(on, lease)],
    ['charge_problems_due', (on) => claimChargesSetAside(on, lease)],
  ];
  for (const statement of allDone) await sql.raw(statement).execute(db);
  // A prepared statement may change to a generic plan at its sixth run.
  for (let run = 0; run < 8; run += 1) for (const [, scan] of scans) await scan(db);
  for (const statement of allDue) await sql.raw(statement).execute(db);

  const sessions: [string, Database][] = [
    ['planned before', db],
    ['planned after', inNewSession],
  ];
  for (const [when, on] of sessions) {
    for (const [index, scan] of scans) {
      const before = await entriesRead(on, tables);
      await scan(on);
      const after = await entriesRead(on, tables);
      const most = [...after]
        .map(([name, entries]) => ({ name, entries: entries - (before.get(name) ?? 0) }))
        .filter(({ entries }) => entries > 0);
      const names = most.map(({ name }) => name);
      t.ok(names.includes(index), `${when}: ${index}`);
      // Of the claimed rows' own keys, and of what hangs on them, a few each.
      for (const { name, entries } of most)
        t.ok(entries <= 10 * limit, `${when}: ${index}: ${entries} of ${name}`);
    }
  }
  await inNewSession.destroy();
});
