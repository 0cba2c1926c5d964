import type { Database } from '@payments/database/connection';
import { readClock } from '@payments/database/health';
import { clockSkewMs } from '@payments/domain/paid-in-time';
import { startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';

/** The time that a service goes by. `sample` sets it right. */
export type Time = { now: () => Date; sample: () => Promise<void> };

/** One look at another clock: its time, and when it was asked for and had arrived by ours. All in milliseconds. */
export type ClockSample = { askedAt: number; at: number; answeredAt: number };

/**
 * @param known how far the other clock was ahead of ours; undefined before the first sample
 * @returns how far it is ahead. A sample proves that only to within its round trip, so the known figure moves no further
 * than it is disproved: a slow answer makes no time jump
 */
export function aheadBy(known: number | undefined, { askedAt, at, answeredAt }: ClockSample): number {
  const [least, most] = [at - answeredAt, at - askedAt];
  return known === undefined ? (least + most) / 2 : Math.min(Math.max(known, least), most);
}

/**
 * PostgreSQL's time, which all processes share. Between samples it goes on by a monotonic clock, so that the machine's
 * clock moves no lease, due time or cursor. It may step back by what a sample corrects, as `newId` allows for.
 * @param monotonic milliseconds since any moment
 */
export function databaseTime(db: Database, monotonic = () => performance.now()): Time {
  let ahead: number | undefined;
  return {
    now: () => new Date(monotonic() + (ahead ?? Number.NaN)),
    sample: async () => {
      const askedAt = monotonic();
      const at = await readClock(db);
      ahead = aheadBy(ahead, { askedAt, at, answeredAt: monotonic() });
    },
  };
}

export type WatchedClock = {
  /** The machine's time is compared with this one, after each sample. */
  time: Time;
  /** Milliseconds since 1970. */
  machineClock: () => number;
  log: Logger;
  /** The time between two samples. */
  everyMs?: number;
};

const usualMs = 2_000;

/**
 * Keeps PostgreSQL's time right, also after a failover, and compares the machine's clock with it. While they differ by
 * more than the believed skew, either may be the wrong one. Nothing should fall due then: a review that ended too early
 * is refunded, and that money does not come back.
 */
export function watchClock({ time, machineClock, log, everyMs = usualMs }: WatchedClock) {
  let differenceMs = 0;
  const isBelieved = () => Math.abs(differenceMs) <= clockSkewMs;
  const compare = () => {
    const wasBelieved = isBelieved();
    differenceMs = machineClock() - time.now().getTime();
    const differenceSeconds = Math.round(differenceMs / 1_000);
    if (wasBelieved && !isBelieved())
      log.error({ differenceSeconds }, "this machine's clock and PostgreSQL's differ: no timed work runs");
    if (!wasBelieved && isBelieved())
      log.info({ differenceSeconds }, "this machine's clock and PostgreSQL's agree again: timed work runs");
  };
  compare();
  const { stop } = startLoop({
    intervalMs: everyMs,
    turn: async () => {
      await time.sample();
      compare();
      return false;
    },
    onError: (error) => log.warn({ err: error }, "PostgreSQL's clock was not read"),
  });
  return { differenceMs: () => differenceMs, isBelieved, stop };
}
