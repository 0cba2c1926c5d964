import { readFileSync } from 'node:fs';
import { type BadReceiver, startBadReceiver, tempers } from '@payments/testing/bad-receivers';
import { startProcessSystem } from '@payments/testing/process-system';
import { type Received, startReceiver } from '@payments/testing/receiver';

/**
 * How much 50 bad receivers cost a healthy one: its time from commit to arrival alone and among them, in turns
 * (A B A B). Alone, the same number of events goes to a second healthy receiver instead of the bad ones.
 */
const rounds = Number(process.env.ROUNDS ?? 3);
const badOnes = 50;
const perSecond = 40;
const secondsPerRound = Number(process.env.SECONDS ?? 15);

const system = await startProcessSystem({
  env: { WEBHOOK_TIMEOUT_MS: '5000', WEBHOOK_RETRY_SECONDS: '2,5,10,30' },
});
const store = await system.createStore();
const healthy = await startReceiver();
const other = await startReceiver();
const bad = await Promise.all(
  Array.from({ length: badOnes }, (_, index) => startBadReceiver(tempers[index % tempers.length] ?? 'hangs')),
);
const arrivals = new Map<string, number>();
healthy.answerWith((request: Received) => {
  arrivals.set(JSON.parse(request.body).id, Date.now());
  return { status: 200 };
});

const create = (webhookUrl: string) =>
  system.call('/api-public/payments', { token: store.token, body: { amount: 10, webhookUrl } });

/** One round: every tick one event to the healthy receiver and one to the next of the others. */
async function round(others: { url: string }[]): Promise<number[]> {
  const sent: { id: string; createdAt: string }[] = [];
  const pending: Promise<unknown>[] = [];
  for (let tick = 0; tick < perSecond * secondsPerRound; tick += 1) {
    pending.push(create(healthy.url).then(({ body }) => sent.push(body)));
    pending.push(create(others[tick % others.length]?.url ?? other.url));
    await new Promise((resolve) => setTimeout(resolve, 1_000 / perSecond));
  }
  await Promise.all(pending);
  await healthy.waitForCount(healthy.received.length, 1);
  const deadline = Date.now() + 20_000;
  while (sent.some(({ id }) => !arrivals.has(id)) && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return sent.map(
    ({ id, createdAt }) => (arrivals.get(id) ?? Number.POSITIVE_INFINITY) - Date.parse(createdAt),
  );
}

const percentile = (values: number[], p: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * p))] ?? Number.NaN;
const median = (values: number[]) => percentile(values, 0.5);
const residentMb = () =>
  Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${system.dispatchers[0]?.pid}/status`, 'utf8'))?.[1]) /
      1_024,
  );

const p99 = { alone: [] as number[], among: [] as number[] };
await round([other]);
for (let index = 0; index < rounds; index += 1) {
  for (const side of ['alone', 'among'] as const) {
    const values = await round(side === 'alone' ? [other] : (bad as BadReceiver[]));
    p99[side].push(percentile(values, 0.99));
    const lost = values.filter((value) => !Number.isFinite(value)).length;
    console.log(
      `${side.padEnd(5)}  p50 ${median(values)} ms  p99 ${percentile(values, 0.99)} ms  events ${values.length}  lost ${lost}  dispatcher ${residentMb()} MB`,
    );
  }
}
console.log(
  `p99 among 50 bad receivers / alone: ${(median(p99.among) / median(p99.alone)).toFixed(2)} (medians of ${rounds} rounds)`,
);
for (const one of [healthy, other, ...bad]) await one.close();
await system.stop();
