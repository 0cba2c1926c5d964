import type { KnownFacts } from '@payments/database/payments/payer-pages';
import t from 'tap';
import { watchPayments } from '../../src/pay/stream.ts';

/** The one reader behind all open pages of a process. */
const later = new Date(Date.now() + 60_000);
const pending: KnownFacts = { id: 'a', status: 'pending', hasCode: true, expiresAt: later };

/** A watcher whose calls a test can await. */
function watcherOf(facts: KnownFacts) {
  const told = Promise.withResolvers<string>();
  const beaten = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const watcher = {
    facts,
    state: 'waiting' as const,
    until: new Date(later.getTime() + 60_000),
    tell: told.resolve,
    beat: beaten.resolve,
    letAsk: left.resolve,
    end: ended.resolve,
  };
  return { watcher, told: told.promise, beaten: beaten.promise, left: left.promise, ended: ended.promise };
}

const usual = { now: () => new Date(), everyMs: 1, isAccepting: () => true, onError: () => {} };

t.test('a page is told what is new, and kept alive meanwhile', async (t) => {
  let changed: KnownFacts[] = [];
  const asked: string[][] = [];
  const read = async (known: KnownFacts[]) => {
    asked.push(known.map(({ id }) => id));
    return changed;
  };
  const watch = watchPayments({ ...usual, read });
  t.teardown(watch.close);
  const [one, other] = [watcherOf(pending), watcherOf({ ...pending, id: 'b' })];
  watch.add(one.watcher);
  watch.add(other.watcher);
  await Promise.all([one.beaten, other.beaten]);
  changed = [{ ...pending, status: 'approved' }];
  t.equal(await one.told, 'paid');
  t.strictSame(asked.at(-1), ['a', 'b'], 'in one statement');
  t.equal(other.watcher.facts.status, 'pending');
});

t.test(
  'many pages are read in parts of a hundred or a tenth of them, each page once in a round',
  async (t) => {
    for (const [open, parts] of [
      [250, [100, 100, 50]],
      [2_000, Array.from({ length: 10 }, () => 200)],
    ] as const) {
      const rounds = Promise.withResolvers<void>();
      const asked: string[][] = [];
      const read = async (known: KnownFacts[]) => {
        asked.push(known.map(({ id }) => id));
        if (asked.length === 2 * parts.length) rounds.resolve();
        return [];
      };
      const watch = watchPayments({ ...usual, read });
      const ids = Array.from({ length: open }, (_, n) => String(n));
      for (const id of ids) watch.add(watcherOf({ ...pending, id }).watcher);
      await rounds.promise;
      await watch.close();
      const [first, second] = [asked.slice(0, parts.length), asked.slice(parts.length, 2 * parts.length)];
      t.strictSame(
        first.map((part) => part.length),
        parts,
      );
      t.strictSame(first.flat(), ids);
      t.strictSame(second, first);
    }
  },
);

t.test('a code that expires is told without any change in the database', async (t) => {
  let time = new Date();
  const watch = watchPayments({ ...usual, now: () => time, read: async () => [] });
  t.teardown(watch.close);
  const one = watcherOf(pending);
  watch.add(one.watcher);
  await one.beaten;
  time = later;
  t.equal(await one.told, 'overdue');
});

t.test('a page that stays too long is told to ask by itself', async (t) => {
  let time = new Date();
  const watch = watchPayments({ ...usual, now: () => time, read: async () => [] });
  t.teardown(watch.close);
  const [one, other] = [
    watcherOf(pending),
    watcherOf({ ...pending, expiresAt: new Date(later.getTime() + 60_000) }),
  ];
  other.watcher.until = later;
  watch.add(one.watcher);
  watch.add(other.watcher);
  await Promise.all([one.beaten, other.beaten]);
  time = later;
  await other.left;
  t.equal(await Promise.race([one.left.then(() => 'left'), one.told]), 'overdue', 'others stay');
});

t.test('a failed read is reported, and tried again', async (t) => {
  const failed = Promise.withResolvers<unknown>();
  let isAway = true;
  const read = async () => {
    if (isAway) throw new Error('away');
    return [{ ...pending, status: 'review' as const }];
  };
  const watch = watchPayments({ ...usual, read, onError: failed.resolve });
  t.teardown(watch.close);
  const one = watcherOf(pending);
  watch.add(one.watcher);
  t.match(await failed.promise, { message: 'away' });
  isAway = false;
  t.equal(await one.told, 'review');
});

t.test('without pages nothing is read; a process that stops ends them', async (t) => {
  let [reads, accepting] = [0, true];
  const read = async () => {
    reads += 1;
    return [];
  };
  const watch = watchPayments({ ...usual, read, isAccepting: () => accepting });
  const gone = watcherOf(pending);
  watch.add(gone.watcher)();
  await new Promise((resolve) => setTimeout(resolve, 20));
  t.equal(reads, 0);
  const one = watcherOf(pending);
  watch.add(one.watcher);
  await one.beaten;
  accepting = false;
  await one.ended;
  const last = watcherOf(pending);
  watch.add(last.watcher);
  await watch.close();
  await last.ended;
});
