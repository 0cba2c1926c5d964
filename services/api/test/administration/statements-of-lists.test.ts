import { listChargeProblems, recordChargeProblem } from '@payments/database/charges/problems';
import { listUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import type { Queryable } from '@payments/database/connection';
import { listDeliveries } from '@payments/database/deliveries/list';
import type { Page, Paged } from '@payments/database/filters';
import { listMails } from '@payments/database/notices/mails';
import { listReviews } from '@payments/database/payments/reviews';
import { listChanges } from '@payments/database/record/changes';
import { listRefundsFound } from '@payments/database/refunds/list';
import { newId } from '@payments/domain/identifiers';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { withPayments } from '../../src/administration/banks/page.ts';
import { withRefunds } from '../../src/administration/books/unmatched-pix-page.ts';

/** Lists read what belongs to all their rows in one statement, however many rows there are. */
const system = await startSystem({ dispatcher: false, env: { REFUND_RETRY_SECONDS: '600' } });
t.teardown(system.stop);
const store = await system.createStore();
const create = async () =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 42 } })).body;
const page = { page: 1, limit: 50 };

/** @returns the database, and how many statements ran through it */
function counted() {
  let statements = 0;
  const db = system.db.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1;
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db, statements: () => statements };
}

t.test('charges that fail, each with its payment', async (t) => {
  const ids = [(await create()).id, (await create()).id, newId(), null] as (string | null)[];
  for (const [at, paymentId] of ids.entries())
    await recordChargeProblem(system.db, {
      ...{ bank: 'default', txid: `txid${at}`, work: 'settle', paymentId },
      ...{ error: { code: 'charge_unknown' }, now: new Date(1_800_000_000_000 + at) },
    });
  const { items } = await listChargeProblems(system.db, page);
  const { db, statements } = counted();
  const found = await withPayments(db, items);
  t.equal(statements(), 1);
  t.strictSame(
    found.map(({ problem, payment }) => [problem.txid, payment?.id]).toSorted(),
    [
      ['txid0', ids[0]],
      ['txid1', ids[1]],
      ['txid2', undefined],
      ['txid3', undefined],
    ],
    'a payment that the database does not have, and none',
  );
});

t.test('unmatched Pix, each with its refunds', async (t) => {
  const received = async () => {
    const paid = await system.bank('/bank/pay', { pixCopiaECola: (await create()).qrCopyPaste });
    const { endToEndId } = paid.body;
    const now = new Date();
    const pix = { endToEndId, bank: 'default', paymentId: null, txid: null, amount: 4_200 };
    await system.db
      .insertInto('pixReceived')
      .values({ ...pix, effect: 'unmatched', unmatched: 'no_payment', paidAt: now, receivedAt: now })
      .execute();
    return endToEndId as string;
  };
  await system.bank('/bank/faults', { dropCallbacks: true });
  const all = [await received(), await received(), await received()];
  const { items } = await listUnmatchedPix(system.db, page);
  for (const endToEndId of all.slice(0, 2)) {
    const path = `/admin/unmatched-pix/${endToEndId}/refund`;
    t.equal((await system.admin(path, { body: {} })).status, 202);
  }
  const { db, statements } = counted();
  const found = await withRefunds(db, items);
  t.equal(statements(), 1);
  const refundsOf = new Map(
    found.map(({ pix, refunds }) => [pix.endToEndId, refunds.map((one) => one.endToEndId)]),
  );
  t.strictSame(
    all.map((endToEndId) => refundsOf.get(endToEndId) ?? []),
    [[all[0]], [all[1]], []],
  );
});

t.test('a page behind the end walks over no rows: the count says that it is empty', async (t) => {
  const lists: Record<string, (db: Queryable, page: Page) => Promise<Paged<unknown>>> = {
    problems: listChargeProblems,
    unmatchedPix: listUnmatchedPix,
    deliveries: (db, page) => listDeliveries(db, {}, page),
    refunds: (db, page) => listRefundsFound(db, {}, page),
    changes: (db, page) => listChanges(db, {}, page),
    mails: (db, page) => listMails(db, {}, page),
    reviews: (db, page) => listReviews(db, {}, page),
  };
  const behind = { page: Number.MAX_SAFE_INTEGER, limit: 200 };
  for (const [name, list] of Object.entries(lists)) {
    const { db, statements } = counted();
    t.strictSame((await list(db, behind)).items, [], name);
    t.equal(statements(), 1, name);
  }
});
