import { fillPayments } from '../fill/payments.ts';
import { query } from '../ground.ts';
import { startLoad } from '../load/load.ts';
import { compareLoads, medianMs, type Requests } from '../rates.ts';
import { judgeRatio } from '../results.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { createStore } from '../stores.ts';
import { readJob } from './requests.ts';

const few = 1_000;
const perPage = 50;
const statuses = ['approved', 'pending'];

/** Lists of a store with many payments, beside those of one with few, and far pages beside the first. */
export const lists: Scenario = {
  name: 'lists',
  title: 'lists of a store with many payments',
  run: async (context) => {
    const { ground, options, say } = context;
    const ours = await startOurs(ground, { name: 'bench_lists' });
    const load = startLoad();
    try {
      const many = await createStore(ours.databaseUrl);
      const small = await createStore(ours.databaseUrl);
      say(`filling: ${options.payments} payments`);
      await fillPayments(ours.databaseUrl, { storeId: many.id, count: options.payments });
      await fillPayments(ours.databaseUrl, { storeId: small.id, count: few });
      const list = (name: string, store: typeof many, path: string): Requests => ({
        name,
        side: ours,
        job: readJob(ours.url, store, [path]),
      });
      const first = await firstPages(context, load, list, { many, small });
      const far = await farPages(context, load, list, many);
      const plans = await plansOf(ours.databaseUrl, many.id, options.payments);
      return {
        conditions: [
          `one store with ${options.payments} payments, one with ${few}, in the same table; pages of ${perPage}`,
          `${options.connections} connections, ${options.rounds} rounds of ${options.seconds} s, in turns; the time is the median answer's`,
        ],
        figures: [...first.figures, ...far.figures],
        verdicts: [...first.verdicts, ...far.verdicts],
        notes: plans,
      };
    } finally {
      await load.stop();
      await ours.stop();
      await ground.dropDatabase(ours.database);
    }
  },
};

type List = (name: string, store: Awaited<ReturnType<typeof createStore>>, path: string) => Requests;
type Stores = Record<'many' | 'small', Awaited<ReturnType<typeof createStore>>>;
type Load = ReturnType<typeof startLoad>;

async function firstPages(context: BenchContext, load: Load, list: List, { many, small }: Stores) {
  const filters = ['', ...statuses.map((status) => `&status=${status}`)];
  const pairs = filters.map((filter) => {
    const path = `?page=1${filter}`;
    const which = `page 1${filter && `, ${filter.slice(1)}`}`;
    return [
      list(`${which}, of ${context.options.payments}`, many, path),
      list(`${which}, of ${few}`, small, path),
    ] as const;
  });
  const figures = await compareLoads(context, load, medianMs('time of a list'), pairs.flat());
  const verdicts = pairs.map(([big, little]) => {
    const [a, b] = [big, little].map(({ name }) => figures.find(({ side }) => side === name)!) as [
      never,
      never,
    ];
    return judgeRatio(`time of ${big.name}`, [a, b], { atMost: 2 });
  });
  return { figures, verdicts };
}

async function farPages(context: BenchContext, load: Load, list: List, many: Stores['many']) {
  const pages = context.options.payments / perPage;
  const places = {
    'page 1': 1,
    'page at a tenth': pages / 10,
    'page in the middle': pages / 2,
    'last page': pages,
  };
  const all = Object.entries(places).flatMap(([name, page]) => {
    const path = `?page=${Math.floor(page)}`;
    const ofStatus = `?page=${Math.max(1, Math.floor(page * 0.79))}&status=approved`;
    return [list(name, many, path), list(`${name}, approved`, many, ofStatus)];
  });
  const figures = await compareLoads(context, load, medianMs('time of a list'), all);
  const at = (name: string) => figures.find(({ side }) => side === name)!;
  const far = Object.keys(places).slice(1);
  const verdicts = ['', ', approved'].flatMap((filter) =>
    far.map((name) =>
      judgeRatio(`time of the ${name}${filter}`, [at(`${name}${filter}`), at(`page 1${filter}`)], {
        atMost: 10,
      }),
    ),
  );
  return { figures, verdicts };
}

/** The page statement's own time: what the request around it does not hide. */
async function plansOf(databaseUrl: string, storeId: string, payments: number): Promise<string[]> {
  const offsets = { 'page 1': 0, middle: payments / 2, last: payments - perPage };
  const notes: string[] = [];
  for (const [name, offset] of Object.entries(offsets)) {
    const rows = await query<{ 'QUERY PLAN': string }>(
      databaseUrl,
      `explain (analyze, buffers) select id from payments where store_id = '${storeId}'
        order by id desc limit ${perPage} offset ${Math.floor(offset)}`,
    );
    const text = rows.map((row) => row['QUERY PLAN']).join(' ');
    const [, ms] = /Execution Time: ([\d.]+)/.exec(text) ?? [];
    const [, node] = /(Index[^(]*?)\s+\(cost/.exec(text) ?? [];
    notes.push(`skipping to the ${name} page by offset takes PostgreSQL ${ms} ms (${node?.trim()})`);
  }
  return notes;
}
