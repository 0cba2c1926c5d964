import t from 'tap';
import { connect, type Database } from '../../src/connection.ts';
import type { ChangeAction } from '../../src/record/change-actions.ts';
import { checkRecord } from '../../src/record/record-check.ts';
import {
  anonymousActorsAtMost,
  finishRepeated,
  ownEntriesAtMost,
  type Repeated,
  recordRepeated,
  windowMs,
} from '../../src/record/repeated-changes.ts';
import { openDatabase, somebody } from '../rows.ts';

/** An action that is repeated without effect has few entries, and a last one with the number of the others. */
const start = new Date('2026-11-23T12:00:00Z');
const minutes = (count: number) => new Date(start.getTime() + count * 60_000);
const search = (actor: string, at = start, action: ChangeAction = 'search.by_text'): Repeated => {
  const by = { ...somebody, name: actor, address: '192.0.2.1', browser: 'Firefox' };
  return { actor, by, change: { action, at, storeId: null } };
};
/** Fifty at a time: a call rejects after five seconds, and on a slow machine three hundred at once can take longer. */
const many = async (db: Database, count: number, of: (n: number) => Repeated) => {
  const calls = Array.from({ length: count }, (_, n) => n);
  for (let first = 0; first < count; first += 50)
    await Promise.all(calls.slice(first, first + 50).map((n) => recordRepeated(db, of(n))));
};
const entries = (db: Database) =>
  db
    .selectFrom('changes')
    .select(['action', 'author', 'after', 'occurredAt', 'address'])
    .orderBy('id')
    .execute();
const finish = async (db: Database, now: Date) => {
  while ((await finishRepeated(db, { now, limit: 10 })) === 10);
};

t.test('ten entries, and a last one when the ten minutes are over', async (t) => {
  const { db } = await openDatabase(t);
  await many(db, 300, () => search('viewer'));
  t.equal((await entries(db)).length, ownEntriesAtMost);
  await finish(db, minutes(10));
  t.equal((await entries(db)).length, ownEntriesAtMost, 'late calls may still be counted');
  await finish(db, minutes(11));
  const all = await entries(db);
  t.equal(all.length, ownEntriesAtMost + 1);
  t.match(all.at(-1), {
    action: 'search.by_text',
    author: 'viewer',
    after: { times: 290 },
    occurredAt: start,
    address: '192.0.2.1',
  });
  t.strictSame(await db.selectFrom('repeatedChanges').selectAll().execute(), []);
  await recordRepeated(db, search('viewer', minutes(11)));
  t.equal((await entries(db)).length, ownEntriesAtMost + 2, 'and the next ten minutes begin anew');
  t.match(await checkRecord(db), { entries: ownEntriesAtMost + 2, broken: undefined });
});

t.test('what stays within the bound has no last entry', async (t) => {
  const { db } = await openDatabase(t);
  await many(db, ownEntriesAtMost, () => search('viewer'));
  await finish(db, minutes(11));
  t.equal((await entries(db)).length, ownEntriesAtMost);
  t.strictSame(await db.selectFrom('repeatedChanges').selectAll().execute(), []);
});

t.test('each actor and each kind has a bound of its own', async (t) => {
  const { db } = await openDatabase(t);
  await many(db, 20, () => search('one'));
  await many(db, 3, () => search('other'));
  await many(db, 3, () => search('one', start, 'export.made'));
  await many(db, 3, () => ({ ...search('one', start, 'export.made'), kind: 'refunds' }));
  await many(db, 3, () => search('one', minutes(10)));
  t.equal((await entries(db)).length, ownEntriesAtMost + 3 + 3 + 3 + 3);
});

t.test('two replicas share the bound, and one of them writes the last entry', async (t) => {
  const { db, url } = await openDatabase(t);
  const other = connect(url);
  t.teardown(() => other.destroy());
  const replicas = [db, other];
  await Promise.all(replicas.map((one) => many(one, 150, (n) => search(`viewer ${n % 3}`))));
  t.equal((await entries(db)).length, 3 * ownEntriesAtMost);
  await Promise.all([...replicas, ...replicas].map((one) => finish(one, minutes(11))));
  const last = (await entries(db)).slice(3 * ownEntriesAtMost);
  t.strictSame(
    last.map(({ author, after }) => [author, after]).sort(),
    ['viewer 0', 'viewer 1', 'viewer 2'].map((viewer) => [viewer, { times: 100 - ownEntriesAtMost }]),
  );
});

t.test('addresses without number fill neither the record nor the counts', async (t) => {
  const { db } = await openDatabase(t);
  await many(db, anonymousActorsAtMost + 100, (n) => ({
    ...search(`198.51.100.${n}`, start, 'sign_in_refused'),
    isAnonymous: true,
  }));
  const rows = await db.selectFrom('repeatedChanges').select('actor').execute();
  t.equal(rows.length, anonymousActorsAtMost + 1);
  t.equal((await entries(db)).length, anonymousActorsAtMost + ownEntriesAtMost);
  await recordRepeated(db, search('viewer'));
  t.match((await entries(db)).at(-1), { author: 'viewer' }, 'who is known has entries beside them');
  await finish(db, minutes(11));
  t.match((await entries(db)).at(-1), { after: { times: 100 - ownEntriesAtMost } });
});

t.test('a process that dies between two calls loses no count', async (t) => {
  const { db, url } = await openDatabase(t);
  const dying = connect(url);
  await many(dying, ownEntriesAtMost + 5, () => search('viewer'));
  await dying.destroy();
  await finish(db, new Date(start.getTime() + 3 * windowMs));
  t.match((await entries(db)).at(-1), { after: { times: 5 } });
});
