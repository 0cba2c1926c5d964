import { connect, type Database } from '@payments/database/connection';
import { recordAttempts } from '@payments/database/deliveries/attempts';
import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import { claimBehindBacklog, claimDueDeliveries } from '@payments/database/deliveries/claims';
import { fillDeliveries } from '../fill/deliveries.ts';
import { query } from '../ground.ts';
import { delivered } from '../load/claims.ts';
import { plainFigure } from '../rates.ts';
import { type Figure, judgeRatio } from '../results.ts';
import { interleave } from '../rounds.ts';
import type { Scenario } from '../scenario.ts';
import { createStore } from '../stores.ts';

const endpoints = 1_000;
const few = 1_000;
const limit = 256;
// What the dispatcher lets a receiver have that it does not know yet.
const perEndpoint = 4;

const layouts = { 'in turns': false, 'one after the other': true };

/** What claiming a delivery takes behind a long backlog, beside a short one. */
export const backlog: Scenario = {
  name: 'backlog',
  title: 'claims of deliveries from a backlog',
  run: async ({ ground, options, say }) => {
    const urls = Array.from({ length: endpoints }, (_, index) => `http://127.0.0.1:9/webhook/${index}`);
    const open: { database: string; db: Database }[] = [];
    const queue = async (database: string, grouped: boolean) => {
      const url = await ground.createDatabase(database, true);
      const store = await createStore(url);
      const db = connect(url, { applicationName: 'bench' });
      open.push({ database, db });
      const fill = async (count: number) => {
        await fillDeliveries(url, { storeId: store.id, count, urls, as: 'due', grouped });
        await query(url, 'vacuum (analyze) deliveries');
      };
      return { db, fill };
    };
    try {
      const turns = [];
      const short = await queue('bench_backlog_short', false);
      turns.push({
        name: `${few} due`,
        run: async () => {
          await short.fill(few);
          return claimThousand(short.db);
        },
      });
      for (const [layout, grouped] of Object.entries(layouts)) {
        const long = await queue(`bench_backlog_${grouped ? 'grouped' : 'mixed'}`, grouped);
        say(`filling: ${options.payments} due deliveries, endpoints ${layout}`);
        await long.fill(options.payments);
        turns.push({
          name: `${options.payments} due, endpoints ${layout}`,
          run: () => claimThousand(long.db),
        });
      }
      const outcomes = await interleave(turns, options.rounds, say);
      const figures = turns.map(({ name }) =>
        plainFigure(name, 'claim of one delivery', 'ms', outcomes.get(name) ?? []),
      );
      const [beside, ...long] = figures as [Figure, ...Figure[]];
      return {
        conditions: [
          `${endpoints} endpoints; 1000 deliveries a round are claimed, up to ${limit} at a time and ${perEndpoint} of an endpoint, and recorded as delivered; the claims are timed`,
          'the dispatcher’s own statements: the head of the queue, and behind it endpoint by endpoint where that gives too few',
        ],
        figures,
        verdicts: long.map((figure) =>
          judgeRatio(`claim of one delivery, ${figure.side}`, [figure, beside], { atMost: 1.5 }),
        ),
        notes: [],
      };
    } finally {
      for (const { database, db } of open) {
        await db.destroy();
        await ground.dropDatabase(database);
      }
    }
  },
};

/** @returns milliseconds for one */
async function claimThousand(db: Database): Promise<number> {
  let [claimed, ms] = [0, 0];
  while (claimed < 1_000) {
    const startedAt = performance.now();
    const taken = await claim(db);
    ms += performance.now() - startedAt;
    claimed += taken.length;
    if (taken.length === 0) break;
    await recordAttempts(db, taken.map(delivered));
  }
  return ms / claimed;
}

async function claim(db: Database): Promise<ClaimedDelivery[]> {
  const bounds = { leaseMs: 10_000, free: new Map<string, number>(), perEndpoint, failing: true };
  const head = await claimDueDeliveries(db, { ...bounds, limit });
  if (head.length === limit) return head;
  return [...head, ...(await claimBehindBacklog(db, { ...bounds, limit: limit - head.length }))];
}
