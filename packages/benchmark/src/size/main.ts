import { parseArgs } from 'node:util';
import { connect } from '@payments/database/connection';
import { query } from '@payments/testing/sessions';
import { prepareGround } from '../ground.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { booksOf, diskOf, feedOf, vacuumOf } from './books.ts';
import { fill, type Part } from './fill.ts';
import { ratesBeside } from './rates.ts';
import { statementsOf } from './statements.ts';

/** `npm run size`: what payments cost at a size. */
const usage = `npm run size -- [--only payments | --only events] <payments> …

Fills a database with so many payments, for each number given. Prints the pages that each statement reads and its time
in PostgreSQL, and the creations and reads a second beside those of an empty database. A million takes some 3 GB of
disk: 1.1 GB with payments alone, 1.8 GB with their events alone. Needs npm run build.`;

type Column = Map<string, string>;

const mostRuns = 200;
// A statement that takes seconds is not run so often.
const longestMs = 20_000;
const { sizes, parts } = readArguments();
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

function readArguments(): { sizes: number[]; parts: Part[] } {
  const { values, positionals } = parsed();
  if (values.help) {
    console.log(usage);
    process.exit();
  }
  const all: Part[] = ['payments', 'events'];
  const parts = all.filter((part) => part === (values.only ?? part));
  const sizes = positionals.map(Number);
  if (sizes.length === 0 || sizes.some((size) => !Number.isInteger(size) || size < 1))
    refuse('give one or more whole numbers: npm run size -- 1000000 5000000');
  if (parts.length === 0) refuse(`--only takes payments or events, not ${values.only}`);
  return { sizes, parts };
}

function parsed() {
  const options = { help: { type: 'boolean' }, only: { type: 'string' } } as const;
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    return refuse((error as Error).message.split('. ')[0]!);
  }
}

function refuse(reason: string): never {
  console.error(reason);
  process.exit(1);
}

async function measure(size: number): Promise<Column> {
  const column: Column = new Map();
  for await (const [what, cell] of figuresOf(size)) {
    console.log(`${size} payments, ${what}: ${cell}`);
    column.set(what, cell);
  }
  return column;
}

async function* figuresOf(size: number): AsyncGenerator<[what: string, cell: string]> {
  await using filled = await startOurs(ground);
  const ids = await fill(filled.databaseUrl, size, parts);
  yield* await diskOf(filled.databaseUrl, size);
  yield* costs(filled, ids);
  if (!parts.includes('payments')) return;
  yield await vacuumOf(filled.databaseUrl);
  await using empty = await startOurs(ground);
  yield* await ratesBeside(filled, empty, ids);
}

/** Yields of each statement the pages of the shared buffers that one run reads, and its milliseconds in PostgreSQL. */
async function* costs(
  { databaseUrl }: Ours,
  ids: readonly string[],
): AsyncGenerator<[what: string, cell: string]> {
  const [store] = await query<{ id: string }>(databaseUrl, 'select id from stores');
  await using db = connect(databaseUrl, { poolSize: 1 });
  const known = { storeId: store!.id, ids };
  const payments = parts.includes('payments') ? [...statementsOf(db, known), ...booksOf(db, known)] : [];
  const events = parts.includes('events') ? feedOf(db, known.storeId) : [];
  for (const [what, run] of [...payments, ...events]) yield [what, await costOf(databaseUrl, run)];
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
