import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CommittedEvent } from '@payments/domain/events';
import { newId } from '@payments/domain/identifiers';
import { eventually } from '@payments/testing/patience';
import { untilWaiting } from '@payments/testing/pause';
import { sql } from 'kysely';
import t from 'tap';
import { DatabaseUnavailable } from '../../src/errors.ts';
import { removePublished, sweepOutbox } from '../../src/events/outbox.ts';
import { changeStatus } from '../../src/payments/changes.ts';
import { findPayment } from '../../src/payments/payments.ts';
import { inTransaction } from '../../src/transaction.ts';
import { addPayment, addStore, eventsOf, move, openDatabase, view } from '../rows.ts';

const all = (limit: number) => ({ before: new Date(Date.now() + 60_000), limit });
const idsOf = (events: CommittedEvent[]) => events.map(({ event }) => event.id);

t.test('a row that is committed late, with a time before published ones, is still published', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const published: string[] = [];
  const sweep = () =>
    sweepOutbox(db, all(100), async (events) => {
      published.push(...idsOf(events));
      return idsOf(events);
    });

  const early = await db.startTransaction().execute();
  const [first] = await eventsOf(early, await addPayment(early, storeId));
  // Payments of one store are counted in a row of each connection's shard, and two connections may have the same.
  const [second] = await eventsOf(db, await addPayment(db, await addStore(db)));
  t.equal(await sweep(), 1);
  t.same(published, [second]);
  await early.commit().execute();
  t.equal(await sweep(), 1);
  t.same(published, [second, first]);
  t.equal(await sweep(), 0);
});

t.test('four sweeps publish five hundred events exactly once in total', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 16 });
  const storeId = await addStore(db);
  for (let made = 0; made < 500; made += 50) {
    await Promise.all(Array.from({ length: 50 }, () => addPayment(db, storeId)));
  }
  const published: string[] = [];
  const publish = async (events: CommittedEvent[]) => {
    // A broker takes time: other sweeps must not take the same rows meanwhile.
    await new Promise((resolve) => setTimeout(resolve, 5));
    published.push(...idsOf(events));
    return idsOf(events);
  };
  const sweep = async () => {
    while ((await sweepOutbox(db, all(20), publish)) > 0);
  };
  await Promise.all([sweep(), sweep(), sweep(), sweep()]);
  t.equal(published.length, 500);
  t.equal(new Set(published).size, 500);
});

t.test('a crash after publishing repeats that batch, under the same ids, and nothing else', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  for (let made = 0; made < 4; made += 1) await addPayment(db, storeId);
  const published: string[] = [];
  const crash = sweepOutbox(db, all(2), async (events) => {
    published.push(...idsOf(events));
    throw new Error('the process ended here');
  });
  await t.rejects(crash, { message: 'the process ended here' });
  while (
    (await sweepOutbox(db, all(2), async (events) => {
      published.push(...idsOf(events));
      return idsOf(events);
    })) > 0
  );
  t.equal(published.length, 6);
  t.equal(new Set(published).size, 4);
  t.same(published.slice(0, 2), published.slice(2, 4), 'the batch in flight came twice');
});

t.test('unconfirmed events are sent again', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  for (let made = 0; made < 4; made += 1) await addPayment(db, storeId);
  const offered: string[][] = [];
  const half = async (events: CommittedEvent[]) => {
    offered.push(idsOf(events));
    return idsOf(events).filter((_, index) => index % 2 === 0);
  };
  t.equal(await sweepOutbox(db, all(10), half), 2);
  t.equal(await sweepOutbox(db, all(10), half), 1);
  t.same(offered[1], [offered[0]?.[1], offered[0]?.[3]]);
  t.equal(await sweepOutbox(db, all(10), async () => []), 0, 'no event is lost');
  t.equal(await sweepOutbox(db, all(10), async (events) => idsOf(events)), 1);
});

t.test('an event has the fields of the contract, and the payment as it was then', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const paymentId = await addPayment(db, storeId);
  await move(db, paymentId, 'approved');
  const seen: CommittedEvent[] = [];
  await sweepOutbox(db, all(10), async (events) => {
    seen.push(...events);
    return idsOf(events);
  });
  t.match(seen, [
    {
      storeId,
      requestId: 'request-1',
      event: {
        type: 'payment.created',
        sequence: 1,
        payment: { id: paymentId, status: 'pending', amount: 10 },
      },
    },
    {
      event: {
        type: 'payment.status_changed',
        sequence: 2,
        previousStatus: 'pending',
        payment: { id: paymentId, status: 'approved' },
      },
    },
  ]);
  t.notOk('previousStatus' in seen[0]!.event);
  t.match(seen[0]?.event.occurredAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
});

t.test('a payment and its event are written together or not at all', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const id = await addPayment(db, storeId);
  await addPayment(db, storeId, { id });
  t.equal((await eventsOf(db, id)).length, 1, 'an existing id writes nothing, not even an event');

  const seen = await findPayment(db, id);
  const moved = move(db, id, 'approved', seen);
  const movedToo = move(db, id, 'not_approved', seen);
  const [one, other] = await Promise.allSettled([moved, movedToo]);
  const winners = [one, other].filter(({ status }) => status === 'fulfilled');
  t.equal(winners.length, 1, 'of two moves from the same status one wins');
  t.equal((await eventsOf(db, id)).length, 2, 'only its event is written');

  await t.rejects(addPayment(db, newId()), /foreign key/, 'an unknown store');
  const { count } = await db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  t.equal(count, 2);
});

t.test('a database that ends a connection mid-query is unavailable, and the pool recovers', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 2 });
  const storeId = await addStore(db);
  await addPayment(db, storeId);
  const { sql } = await import('kysely');
  const cut = sweepOutbox(db, all(1), async (events) => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(db);
    return idsOf(events);
  });
  await t.rejects(cut, DatabaseUnavailable);
  t.equal(await sweepOutbox(db, all(1), async (events) => idsOf(events)), 1, 'nothing was marked');
});

t.test('listeners hear exactly the committed events, as the outbox has them', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const [told, toldToo]: CommittedEvent[][] = [[], []];
  db.listeners.push((event) => told!.push(event));
  db.listeners.push((event) => toldToo!.push(event));
  const observation = 'ação "1" \\ 😀\u2028';
  const fields = { observation, email: 'a@b.co', feeAmount: 1, liquidValue: 999, createdAt: new Date(0) };
  const id = await addPayment(db, storeId, fields);
  await addPayment(db, storeId, { id });
  await inTransaction(db, async (trx) => {
    const payment = (await findPayment(trx, id))!;
    const change = { payment, actor: 'test', reason: null, requestId: null, now: new Date(), view };
    await changeStatus(trx, { ...change, to: 'approved', amount: payment.charged });
    t.equal(told!.length, 1, 'not before it is committed');
  });
  const undone = inTransaction(db, async (trx) => {
    await addPayment(trx, storeId);
    throw new Error('undone');
  });
  await t.rejects(undone, { message: 'undone' });

  const swept: CommittedEvent[] = [];
  await sweepOutbox(db, all(10), async (events) => {
    swept.push(...events);
    return idsOf(events);
  });
  t.equal(swept.length, 2);
  t.strictSame(told, swept);
  t.strictSame(toldToo, swept);
});

t.test('a sweep leaves young events to their process; a removal deletes only the named events', async (t) => {
  const { db } = await openDatabase(t);
  const storeId = await addStore(db);
  const [first] = await eventsOf(db, await addPayment(db, storeId));
  // Payments of one store are counted in a row of each connection's shard, and two connections may have the same.
  const [second] = await eventsOf(db, await addPayment(db, await addStore(db)));
  const take = async (events: CommittedEvent[]) => idsOf(events);
  // A slow machine sweeps again, until the events were still young after a sweep.
  const given = await eventually('a sweep of young events', async () => {
    const ids: string[] = [];
    await sql`update outbox set created_at = clock_timestamp()`.execute(db);
    await sweepOutbox(db, { limit: 10 }, async (events) => {
      ids.push(...idsOf(events));
      return [];
    });
    const { rows } = await sql<{ areYoung: boolean }>`
      select bool_and(created_at > clock_timestamp() - interval '2 seconds') as are_young from outbox`.execute(
      db,
    );
    return rows[0]?.areYoung ? ids : undefined;
  });
  t.same(given, [], 'young');
  t.equal(
    await sweepOutbox(db, { before: new Date(0), limit: 10 }, take),
    0,
    'a clock that is behind takes all events for young',
  );
  await removePublished(db, [first!, newId()]);
  await removePublished(db, [first!]);
  const swept: string[] = [];
  const note = async (events: CommittedEvent[]) => {
    swept.push(...idsOf(events));
    return idsOf(events);
  };
  t.equal(await sweepOutbox(db, all(10), note), 1);
  t.same(swept, [second]);
});

t.test('a removal waits for a failing sweep of the same event, and then removes it', async (t) => {
  const { db, url } = await openDatabase(t);
  const [id] = await eventsOf(db, await addPayment(db, await addStore(db)));
  let removing: Promise<void> | undefined;
  const failing = sweepOutbox(db, all(10), async () => {
    removing = removePublished(db, [id!]);
    await untilWaiting(url, 1);
    return [];
  });
  t.equal(await failing, 0);
  await removing;
  t.equal(await sweepOutbox(db, all(10), async (events) => idsOf(events)), 0, 'removed by who published it');
});

t.test('a process that is killed between commit and publish leaves its event to the others', async (t) => {
  const { db, url } = await openDatabase(t);
  const storeId = await addStore(db);
  const program = fileURLToPath(new URL('../dies-committing.ts', import.meta.url));
  const args = ['--conditions=public-payments', program, url, storeId];
  t.equal(spawnSync(process.execPath, args, { stdio: 'inherit' }).signal, 'SIGKILL');
  const swept: CommittedEvent[] = [];
  await sweepOutbox(db, all(10), async (events) => {
    swept.push(...events);
    return idsOf(events);
  });
  t.match(swept, [{ storeId, event: { type: 'payment.created' } }]);
});

t.test('a sweep that finds nothing locks nothing', async (t) => {
  const { db } = await openDatabase(t);
  await db.transaction().execute(async (trx) => {
    await sql`lock table outbox in exclusive mode`.execute(trx);
    t.equal(await sweepOutbox(db, all(10), async () => []), 0);
  });
});
