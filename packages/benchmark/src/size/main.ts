import { connect } from '@payments/database/connection';
import { createTestDatabase } from '@payments/testing/database';
import { fillPayments } from '../fill-payments.ts';
import { query } from '../ground.ts';
import { startCountingPostgres } from '../replicas/counting-postgres.ts';
import { type Filled, statementsOf } from './statements.ts';

/** `npm run size`: what each statement of payments costs at a size. */
const usage = `npm run size -- <payments> …

Fills a database with so many payments, for each number given, and prints the pages that each statement reads and
its time in PostgreSQL. A million takes some 1.5 GB of disk.`;

type Cost = { pages: number; ms: number };

const runs = 200;
const args = process.argv.slice(2);
const sizes = args.map(Number);
if (args.includes('--help')) {
  console.log(usage);
  process.exit();
}
if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1)) {
  console.error('give one or more whole numbers: npm run size -- 1000000 5000000');
  process.exit(1);
}
const postgres = await startCountingPostgres();
try {
  const costs: Map<string, Cost>[] = [];
  for (const size of sizes) costs.push(await measure(size));
  console.log(`| statement | ${sizes.map((size) => `${size} payments: pages, ms`).join(' | ')} |`);
  console.log(`|---|${sizes.map(() => '---').join('|')}|`);
  for (const what of costs[0]?.keys() ?? []) {
    const cells = costs.map((cost) => cost.get(what)).map((cost) => `${cost?.pages}, ${cost?.ms}`);
    console.log(`| ${what} | ${cells.join(' | ')} |`);
  }
} finally {
  await postgres.remove();
}
process.exit();

async function measure(size: number): Promise<Map<string, Cost>> {
  const { url, drop } = await createTestDatabase(postgres.url);
  const db = connect(url, { poolSize: 1 });
  try {
    const filled = await fill(url, size);
    const costs = new Map<string, Cost>();
    for (const [what, run] of statementsOf(db, filled)) costs.set(what, await costOf(url, run));
    return costs;
  } finally {
    await db.destroy();
    await drop();
  }
}

async function fill(url: string, size: number): Promise<Filled> {
  const from = Date.now();
  await query(url, 'create extension pg_stat_statements');
  const [store] = await query<{ id: string }>(
    url,
    `insert into stores (id, name, max_amount, webhook_secret, created_at)
      values (gen_random_uuid(), 'Loja', 300000, 'whsec_x', now()) returning id`,
  );
  await fillPayments(url, size);
  const [disk] = await query<{ table: string; indexes: string }>(
    url,
    `select pg_size_pretty(pg_table_size('payments')) as table, pg_size_pretty(pg_indexes_size('payments')) as indexes`,
  );
  const seconds = Math.round((Date.now() - from) / 1_000);
  console.log(`${size} payments in ${seconds} s: table ${disk?.table}, indexes ${disk?.indexes}`);
  const sample = await query<{ id: string }>(
    url,
    `select id from payments tablesample system (${Math.min(100, 500_000 / size)})`,
  );
  return { storeId: store?.id as string, ids: sample.map(({ id }) => id) };
}

/** @returns pages of the shared buffers that one run reads, and its milliseconds in PostgreSQL */
async function costOf(url: string, run: () => Promise<unknown>): Promise<Cost> {
  await query(url, 'select pg_stat_statements_reset()');
  for (let times = 0; times < runs; times += 1) await run();
  const [used] = await query<{ pages: number; ms: number }>(
    url,
    `select sum(shared_blks_hit + shared_blks_read)::float8 as pages, sum(total_exec_time)::float8 as ms
      from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
        and query not like '%pg_stat_statements%'`,
  );
  const each = (total = 0) => Math.round((total / runs) * 100) / 100;
  return { pages: Math.round(each(used?.pages)), ms: each(used?.ms) };
}
