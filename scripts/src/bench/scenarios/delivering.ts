import type { Receivers } from '../load/receiver.ts';
import type { Side, Work } from '../side.ts';
import type { Ours } from '../sides/ours.ts';
import type { Sender } from '../sides/sender.ts';

/** What lies ready, and what is done with it. */
export type Delivering = {
  name: string;
  side: Side;
  prepare: () => Promise<void>;
  /** @returns with the webhooks a second */
  work: () => Promise<Work & { value: number }>;
  after: () => Promise<void>;
};

export type Arrivals = { stores: Receivers; count: number };

/** Gives the signal, and waits until all have arrived. */
async function untilArrived(name: string, { stores, count }: Arrivals, go: () => void) {
  const before = await stores.reset();
  go();
  const { count: arrived, firstMs, lastMs, cpuSeconds } = await stores.waitFor(count);
  if (arrived < count) throw new Error(`${name}: only ${arrived} of ${count} arrived`);
  const value = (count / (lastMs - firstMs)) * 1_000;
  return { operations: count, value, cpu: { receivers: cpuSeconds - before.cpuSeconds } };
}

function signal({ processes }: Ours, what: 'SIGSTOP' | 'SIGCONT') {
  for (const { pid } of processes) process.kill(pid, what);
}

/**
 * Our processes stand still while their work is laid ready.
 * @param rest resolves when what they do besides for it is done: it counts for what it costs
 */
export function byUs(
  name: string,
  side: Ours,
  fill: () => Promise<void>,
  arrivals: Arrivals,
  rest: () => Promise<void> = async () => {},
): Delivering {
  const prepare = async () => {
    signal(side, 'SIGSTOP');
    await fill();
  };
  const work = async () => {
    const arrived = await untilArrived(name, arrivals, () => signal(side, 'SIGCONT'));
    await rest();
    return arrived;
  };
  return { name, side, prepare, work, after: async () => {} };
}

/**
 * Claims and records alone, by this process, while ours stand still.
 * @param claimAll resolves with how many it claimed and recorded
 */
export function byLedger(
  name: string,
  side: Ours,
  fill: () => Promise<void>,
  claimAll: () => Promise<number>,
): Delivering {
  const prepare = async () => {
    signal(side, 'SIGSTOP');
    await fill();
  };
  const work = async () => {
    const [cpu, since] = [process.cpuUsage(), performance.now()];
    const operations = await claimAll();
    const value = (operations / (performance.now() - since)) * 1_000;
    const { user, system } = process.cpuUsage(cpu);
    return { operations, value, cpu: { 'what asks': (user + system) / 1e6 } };
  };
  return { name, side, prepare, work, after: async () => signal(side, 'SIGCONT') };
}

export function bySender(sender: Sender, urls: string[], arrivals: Arrivals): Delivering {
  return {
    name: sender.name,
    side: sender,
    prepare: () => sender.fill(arrivals.count, urls),
    work: () => untilArrived(sender.name, arrivals, sender.work),
    after: sender.pause,
  };
}
