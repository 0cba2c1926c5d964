import { sql } from 'kysely';
import pLimit from 'p-limit';
import pg from 'pg';
import t, { type Test } from 'tap';
import type { Database } from '../../src/connection.ts';
import { recordChange } from '../../src/record/changes.ts';
import { checkRecord } from '../../src/record/record-check.ts';
import { openDatabase, somebody } from '../rows.ts';

/** The record is a chain: whoever rewrites it, also as the tables' owner, is found. */
const add = (db: Parameters<typeof recordChange>[0], name: string) =>
  recordChange(
    db,
    { ...somebody, name: 'Ana', reason: 'por “quê”', address: '192.0.2.7', browser: 'Firefox' },
    { action: 'store.changed', at: new Date(), storeId: null, from: { name: 'x' }, to: { name, amount: 1 } },
  );

async function filled(t: Test, entries = 5) {
  const opened = await openDatabase(t);
  for (let n = 1; n <= entries; n += 1) await add(opened.db, `entry ${n}`);
  return opened;
}

const asOwner = async (db: Database, ...statements: string[]) => {
  const tables = ['changes', 'change_hashes'];
  for (const statement of [
    ...tables.map((table) => `alter table ${table} disable trigger user`),
    ...statements,
    ...tables.map((table) => `alter table ${table} enable trigger user`),
  ])
    await sql.raw(statement).execute(db);
};

t.test('each entry has the hash over itself and the one before it, in the order of commits', async (t) => {
  const { db } = await openDatabase(t);
  t.strictSame(await checkRecord(db), { entries: 0, lastHash: null, missing: [], broken: undefined });
  await db.transaction().execute(async (first) => {
    await add(first, 'written first, committed last');
    await add(db, 'committed first');
  });
  const links = await sql<{ position: number; name: string; hash: string }>`
    select position, c.after ->> 'name' as name, encode(hash, 'hex') as hash
    from change_hashes join changes c on c.id = change_id order by position`.execute(db);
  t.match(links.rows, [
    { position: 1, name: 'committed first' },
    { position: 2, name: 'written first, committed last' },
  ]);
  const { entries, lastHash, broken } = await checkRecord(db);
  t.strictSame([entries, lastHash, broken], [2, links.rows[1]?.hash, undefined]);
});

t.test('what was rolled back is in no chain', async (t) => {
  const { db } = await filled(t, 1);
  await t.rejects(
    db.transaction().execute(async (trx) => {
      await add(trx, 'never');
      throw new Error('stop');
    }),
  );
  await add(db, 'after');
  t.match(await checkRecord(db), { entries: 2, broken: undefined });
});

t.test(
  'transactions that commit at the same time make one chain, and wait for each other only there',
  async (t) => {
    const { db, url } = await openDatabase(t, { poolSize: 20 });
    // Each holds a lock that the next one's transaction waits for, entries on both sides: an early lock of the chain's end
    // would close a circle.
    const [one, other] = [new pg.Client(url), new pg.Client(url)];
    await Promise.all([one.connect(), other.connect()]);
    const entry = `insert into changes (action, via, occurred_at) values ('sign_in', 'api', now())`;
    await one.query('begin; select pg_advisory_xact_lock(1)');
    await other.query(`begin; ${entry}`);
    const waiting = other.query(`select pg_advisory_xact_lock(1); commit`);
    await one.query(`${entry}; commit`);
    await waiting;
    await Promise.all([one.end(), other.end()]);

    const lengths = Array.from({ length: 200 }, (_, n) => 1 + (n % 3));
    // No more at once than there are connections: whoever waits five seconds for one is turned away.
    await pLimit(20).map(lengths, (length, n) =>
      db.transaction().execute(async (trx) => {
        for (let entry = 0; entry < length; entry += 1) await add(trx, `${n} ${entry}`);
      }),
    );
    const written = 2 + lengths.reduce((sum, each) => sum + each);
    t.match(await checkRecord(db, [], 7), { entries: written, broken: undefined });
  },
);

t.test(
  'the owner rewrites the record, and the check names the first entry that does not match',
  async (t) => {
    const cases: [what: string, statements: string[], broken: object, entries: number][] = [
      [
        'changed',
        [`update changes set author = 'Bia' where id = 3`],
        { id: 3, position: 3, fault: 'changed' },
        2,
      ],
      [
        'changed in its time',
        [`update changes set occurred_at = occurred_at + interval '1 microsecond' where id = 2`],
        { id: 2, fault: 'changed' },
        1,
      ],
      ['removed', ['delete from changes where id = 3'], { id: 3, position: 3, fault: 'removed' }, 2],
      [
        'removed with its hash',
        ['delete from changes where id = 3', 'delete from change_hashes where change_id = 3'],
        { id: 4, position: 4 },
        2,
      ],
      [
        'removed with its hash, the places made to fit',
        [
          'delete from changes where id = 3',
          'delete from change_hashes where change_id = 3',
          'update change_hashes set position = 3 where position = 4',
          'update change_hashes set position = 4 where position = 5',
        ],
        { id: 4, position: 3, fault: 'changed' },
        2,
      ],
      [
        'exchanged',
        [
          'update change_hashes set change_id = -1 where position = 2',
          'update change_hashes set change_id = 2 where position = 3',
          'update change_hashes set change_id = 3 where position = 2',
        ],
        { id: 3, position: 2, fault: 'changed' },
        1,
      ],
      [
        'put in',
        [`insert into changes (action, via, occurred_at) values ('sign_in', 'api', now())`],
        { id: 6, position: null, fault: 'put in' },
        5,
      ],
    ];
    for (const [what, statements, broken, entries] of cases)
      await t.test(what, async (t) => {
        const { db } = await filled(t);
        await asOwner(db, ...statements);
        t.match(await checkRecord(db, [], 2), { entries, broken });
        await add(db, 'later');
        t.match(await checkRecord(db), { broken }, 'what is recorded later hides nothing');
      });
  },
);

t.test(
  'an end that was cut off, and a chain that was written anew, are found by a hash noted before',
  async (t) => {
    const { db } = await filled(t);
    const { lastHash } = await checkRecord(db);
    const noted = lastHash ?? '';
    await add(db, 'later');
    t.match(await checkRecord(db, [noted]), { entries: 6, missing: [], broken: undefined });
    await asOwner(db, 'delete from changes where id >= 5', 'delete from change_hashes where change_id >= 5');
    t.match(await checkRecord(db, [noted]), { entries: 4, missing: [noted], broken: undefined });
  },
);

t.test('nobody changes a hash without turning the triggers off', async (t) => {
  const { db } = await filled(t, 2);
  for (const statement of [
    'update change_hashes set hash = hash',
    'delete from change_hashes',
    'truncate change_hashes',
    'update changes set author = author',
    'truncate changes',
  ])
    await t.rejects(sql.raw(statement).execute(db), { code: '42501' }, statement);
});
