import { PixUnavailable } from './errors.ts';

/** The priority of a call where a bank limits them. A payer waits for a creation; nobody waits for a list. */
export type Urgency = 'creation' | 'money' | 'polling';

/** Waits until a call may be made. PixUnavailable `paced` if the caller's time ends first; nothing was sent then. */
export type Pacer = (operation: string, urgency: Urgency, signal: AbortSignal) => Promise<void>;

const order: Record<Urgency, number> = { creation: 0, money: 1, polling: 2 };
/** A quarter of a minute's calls may come at once. The rest are spread over the minute. */
const burstShare = 1 / 4;
/** Polling leaves half of a burst to calls that somebody waits for. */
const keptFromPolling = 1 / 2;
/** While other calls use up the limit, every ninth call is a poll. The bank's lists show what callbacks missed. */
const othersBeforePolling = 8;

type Waiting = { urgency: Urgency; go: () => void };

/** @returns a pacer for one bank and process; without a limit nobody waits */
export function createPacer(callsPerMinute: number | null, now: () => number): Pacer {
  if (callsPerMinute === null) return async () => {};
  const burst = Math.max(1, callsPerMinute * burstShare);
  const perMs = Math.max(callsPerMinute - burst, callsPerMinute / 2) / 60_000;
  const waiting: Waiting[] = [];
  let left = burst;
  let countedAt = now();
  // Other calls that were made while a poll waited, since the last poll.
  let others = 0;
  let timer: NodeJS.Timeout | undefined;

  const count = () => {
    const at = now();
    left = Math.min(burst, left + Math.max(0, at - countedAt) * perMs);
    countedAt = at;
  };
  const isOverdue = ({ urgency }: Waiting) => urgency === 'polling' && others >= othersBeforePolling;
  const first = () => waiting.find(isOverdue) ?? waiting[0];
  const needed = (one: Waiting) =>
    one.urgency === 'polling' && !isOverdue(one) ? 1 + (burst - 1) * keptFromPolling : 1;
  const take = (one: Waiting): boolean => {
    count();
    if (left < needed(one)) return false;
    left -= 1;
    waiting.splice(waiting.indexOf(one), 1);
    if (one.urgency === 'polling') others = 0;
    else if (waiting.some(({ urgency }) => urgency === 'polling')) others += 1;
    return true;
  };
  const admit = () => {
    timer = undefined;
    for (let one = first(); one && take(one); one = first()) one.go();
    const next = first();
    if (next) timer = setTimeout(admit, Math.max(1, Math.ceil((needed(next) - left) / perMs)));
  };
  const enqueue = (one: Waiting) => {
    const behind = waiting.findIndex(({ urgency }) => order[urgency] > order[one.urgency]);
    waiting.splice(behind === -1 ? waiting.length : behind, 0, one);
    clearTimeout(timer);
    admit();
  };

  return (operation, urgency, signal) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const one = { urgency, go: resolve };
    const giveUp = () => {
      waiting.splice(waiting.indexOf(one), 1);
      if (waiting.length === 0) clearTimeout(timer);
      reject(new PixUnavailable(operation, 'paced'));
    };
    enqueue(one);
    if (!waiting.includes(one)) return promise;
    signal.addEventListener('abort', giveUp, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', giveUp));
  };
}
