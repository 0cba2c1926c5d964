import { connect } from '@payments/database/connection';
import { query } from '@payments/testing/sessions';
import { prepareGround } from '../ground.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { booksOf, upkeepOf } from './books.ts';
import { fill } from './fill.ts';
import { ratesBeside } from './rates.ts';
import { statementsOf } from './statements.ts';

/** `npm run size`: what payments cost at a size. */
const usage = `npm run size -- <payments> …

Fills a database with so many payments, for each number given. Prints the pages that each statement reads and its time
in PostgreSQL, and the creations and reads a second beside those of an empty database. A million takes some 4 GB of
disk. Needs npm run build.`;

type Column = Map<string, string>;

const mostRuns = 200;
// A statement that takes seconds is not run so often.
const longestMs = 20_000;
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
const ground = await prepareGround(['shared_preload_libraries=pg_stat_statements']);
try {
  const columns: Column[] = [];
  for (const size of sizes) columns.push(await measure(size));
  console.log(`| | ${sizes.map((size) => `${size} payments`).join(' | ')} |`);
  console.log(`|---|${sizes.map(() => '---').join('|')}|`);
  for (const what of columns[0]?.keys() ?? []) {
    console.log(`| ${what} | ${columns.map((column) => column.get(what)).join(' | ')} |`);
  }
} finally {
  await ground.close();
}
process.exit();

async function measure(size: number): Promise<Column> {
  await using filled = await startOurs(ground);
  await using empty = await startOurs(ground);
  const { ids, tables } = await fill(filled.databaseUrl, size);
  console.log(`${size} payments: ${tables}`);
  const column = await costs(filled, ids);
  for (const [what, cell] of await upkeepOf(filled.databaseUrl, size)) column.set(what, cell);
  for (const [what, cell] of await ratesBeside(filled, empty, ids)) column.set(what, cell);
  return column.set('table and indexes', tables);
}

/** @returns of each statement the pages of the shared buffers that one run reads, and its milliseconds in PostgreSQL */
async function costs({ databaseUrl }: Ours, ids: readonly string[]): Promise<Column> {
  const [store] = await query<{ id: string }>(databaseUrl, 'select id from stores');
  await using db = connect(databaseUrl, { poolSize: 1 });
  const column: Column = new Map();
  const known = { storeId: store!.id, ids };
  for (const [what, run] of [...statementsOf(db, known), ...booksOf(db, known)]) {
    column.set(what, await costOf(databaseUrl, run));
  }
  return column;
}

async function costOf(url: string, run: () => Promise<unknown>): Promise<string> {
  await query(url, 'select pg_stat_statements_reset()');
  const from = performance.now();
  let runs = 0;
  for (; runs < mostRuns && performance.now() - from < longestMs; runs += 1) await run();
  const [used] = await query<{ pages: number; ms: number }>(
    url,
    `select sum(shared_blks_hit + shared_blks_read)::float8 as pages, sum(total_exec_time)::float8 as ms
      from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database())
        and query not like '%pg_stat_statements%'`,
  );
  const { pages, ms } = used!;
  return `${Math.round(pages / runs)} pages, ${(ms / runs).toFixed(2)} ms`;
}
