import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endPause, recordBanks, startPause } from '@payments/database/banks/banks';
import { type OpenBanks, openBanks } from '@payments/pix/banks';
import { startBank } from '@payments/testing/bank';
import type { SettlementContext } from '../../src/context.ts';
import { type Bench, type Ending, openBench } from '../at-bank.ts';
import { type AccountAt, accountsOf, type Bank, bankAt, bankIds, credentialsOf, withKey } from './bank.ts';
import { type Front, startFront } from './front.ts';
import type { Terms } from './model.ts';
import type { Operation, Outcome } from './operations.ts';
import { chargeSeconds, createStore, type Store } from './store.ts';
import type { Order, Setup } from './worker.ts';

/** A standby process, replaced after a kill. */
export type Workers = {
  run(order: Order): Promise<Outcome>;
  /** Kills the working process. */
  kill(): void;
  close(): Promise<void>;
};

export type { Operation };

export function startWorkers(setup: Setup): Workers {
  let standing = start(setup);
  return {
    run: async (order) => {
      const child = await standing;
      child.send(order);
      const outcome = await outcomeOf(child);
      if (outcome.end === 'killed') standing = start(setup);
      return outcome;
    },
    kill: () => void standing.then((child) => child.kill('SIGKILL')),
    close: async () => {
      const child = await standing;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

async function start(setup: Setup): Promise<ChildProcess> {
  const module = fileURLToPath(new URL('worker.ts', import.meta.url));
  const child = fork(module, [JSON.stringify(setup)], { execArgv: ['--conditions=public-payments'] });
  await once(child, 'message');
  return child;
}

function outcomeOf(child: ChildProcess): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    child.once('exit', () => resolve({ end: 'killed', says: '' }));
    child.once('message', (answer: Outcome | { error: string }) => {
      child.removeAllListeners('exit');
      if ('error' in answer) reject(new Error(answer.error));
      else resolve(answer);
    });
  });
}

/** The service, its banks and the proxy between them; histories run one after another in it. */
export type World = {
  context: SettlementContext;
  databaseUrl: string;
  banks: readonly Bank[];
  bank(place: number): Bank;
  /** Takes up other banks, by place in order of preference. */
  configure(places: readonly number[]): void;
  /** The ids of the configured banks, in order of preference. */
  configured(): string[];
  /** Pauses a bank for new charges; null resumes all. */
  pause(place: number | null): Promise<void>;
  front: Front;
  workers: Workers;
  /** How far the service's clock is ahead of the machine's. */
  offsetMs(): number;
  /** Advances the service's clock and the banks'. */
  pass(seconds: number): Promise<void>;
  /** Sets how far the banks' clocks are ahead of the service's. */
  skew(seconds: number): Promise<void>;
  createStore(terms: Terms, banks: readonly number[] | null): Promise<Store>;
};

export const graceSeconds = 120;

/** One bank, two, or two entries of one account, with a key each. */
export type Kind = '1' | '2' | 'account';

export async function openWorld(t: Ending, kind: Kind): Promise<World> {
  const ends: (() => Promise<void>)[] = [];
  const bench = await openBench({ teardown: (end) => ends.push(end) }, async () => {}, {
    CHARGE_EXPIRES_IN_SECONDS: String(chargeSeconds),
  });
  const isShared = kind === 'account';
  const urls = {
    [bankIds[0]!]: bench.system.bankUrl,
    ...(await startOthers(kind, bench.system.bankUrl, ends)),
  };
  const banks = isShared
    ? keysOf(bench, bench.system.bankUrl)
    : Object.entries(urls).map(([id, url]) => bankAt(id, url));
  const front = await startFront(
    Object.fromEntries(Object.entries(urls).map(([id, url]) => [id, { url, key: keyAt(bench, id) }])),
  );
  const places = banks.map(({ id }) => {
    const account = isShared ? bankIds[0]! : id;
    return { id, url: front.urlOf(id), key: keyAt(bench, id), account };
  });
  const databaseUrl = bench.system.env.DATABASE_URL!;
  const workers = startWorkers({ databaseUrl, places });
  const { now, db } = bench.context;
  const open = openBanks(accountsOf(places), { now: () => now().getTime() });
  await recordBanks(db, open.all(), now());
  t.teardown(async () => {
    await Promise.all([workers.close(), open.close()]);
    await front.close();
    for (const end of ends) await end();
  });
  return {
    context: { ...bench.context, banks: open },
    ...{ databaseUrl, banks, front, workers },
    bank: (place) => banks[place]!,
    ...configuration(open, places),
    pause: async (place) => {
      for (const [at, { id }] of banks.entries())
        await (at === place
          ? startPause(db, id, { reason: 'a test', now: now() })
          : endPause(db, id, { now: now() }));
    },
    ...clocks(bench, banks),
    createStore: (terms, wanted) => createStore(bench, terms, wanted),
  };
}

function keysOf(bench: Bench, url: string): Bank[] {
  const [first, second] = bankIds as [string, string];
  const bank = bankAt(first, url, keyAt(bench, first));
  return [bank, withKey(bank, second, url, keyAt(bench, second))];
}

async function startOthers(
  kind: Kind,
  firstUrl: string,
  ends: (() => Promise<void>)[],
): Promise<Record<string, string>> {
  const urls: Record<string, string> = {};
  const others = bankIds.slice(1, kind === '1' ? 1 : 2);
  if (kind === 'account') return Object.fromEntries(others.map((id) => [id, firstUrl]));
  for (const id of others) {
    const { url, close } = await startBank({ ...credentialsOf(id), key: `${id}@example.com` });
    urls[id] = url;
    ends.push(close);
  }
  return urls;
}

const keyAt = ({ pix }: Bench, id: string) => (id === bankIds[0] ? pix.key : `${id}@example.com`);

function configuration(open: OpenBanks, places: readonly AccountAt[]) {
  return {
    configure: (wanted: readonly number[]) => open.replace(accountsOf(wanted.map((place) => places[place]!))),
    configured: () => open.all().map(({ id }) => id),
  };
}

function clocks(bench: Bench, banks: readonly Bank[]): Pick<World, 'offsetMs' | 'pass' | 'skew'> {
  let offset = 0;
  let skewed = 0;
  const advance = (seconds: number) => Promise.all(banks.map((bank) => bank.advance(seconds)));
  return {
    offsetMs: () => offset,
    pass: async (seconds) => {
      offset += seconds * 1_000;
      bench.advance(seconds);
      await advance(seconds);
    },
    skew: async (seconds) => {
      await advance(seconds - skewed);
      skewed = seconds;
    },
  };
}
