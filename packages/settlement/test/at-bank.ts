import { connect, type Database } from '@payments/database/connection';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import { bankSettings, defaultBank, readBanks } from '@payments/pix/bank-settings';
import { openBanks } from '@payments/pix/banks';
import type { PixClient } from '@payments/pix/client';
import { readEnvironment } from '@payments/runtime/environment';
import { patienceMs } from '@payments/testing/patience';
import { type SystemOptions, startSystem, type TestStore, type TestSystem } from '@payments/testing/system';
import { createPayment } from '@payments/testing/system-client';
import { Type } from '@sinclair/typebox';
import { type Logger, pino } from 'pino';
import { atBankOf, type BankContext } from '../src/context.ts';

export type Ending = { teardown(end: () => Promise<void>): void };

export type LogLine = { level: number; msg: string } & Record<string, unknown>;

/** The services of a settlement test: a real database, and a bank over HTTP without callbacks. */
export type Bench = {
  context: BankContext;
  system: TestSystem;
  db: Database;
  pix: PixClient;
  store: TestStore;
  /** The log lines. */
  lines: LogLine[];
  /** Moves the context's clock. */
  advance(seconds: number): void;
  /** Stops the context's clock until the test ends. Only `advance` moves it then. */
  stopClock(test: Ending): void;
  /** Makes the bank misbehave; callbacks stay off. */
  faults(named?: Record<string, unknown>): Promise<void>;
  /** Creates payments with a registered charge. */
  create(count: number): Promise<StoredPayment[]>;
  /**
   * Pays as a customer.
   * @returns the endToEndId
   */
  pay(payment: StoredPayment, valor?: string): Promise<string>;
  /** Creates a payment of 10 reais, pays 5 and settles it: it is then in review. */
  review(): Promise<StoredPayment>;
  payment(id: string): Promise<StoredPayment>;
  /** The refunds of a payment at the bank. */
  refundsAtBank(id: string): Promise<{ valor: string; status: string }[]>;
};

const rules = {
  publicUrl: 'http://payments.example.com',
  refundRetrySeconds: [60, 600],
  chargeGraceSeconds: 120,
  recoversPayments: false,
};

export async function openBench(
  t: Ending,
  settle: (bench: Bench, id: string) => Promise<unknown>,
  env: Record<string, string> = {},
  bank: SystemOptions['bank'] = {},
  // Longer than a slow machine needs.
  timeoutMs = 30_000,
): Promise<Bench> {
  let offsetMs = 0;
  let stoppedAt: number | undefined;
  const now = () => new Date((stoppedAt ?? Date.now()) + offsetMs);
  const settings = { RATE_LIMIT_PER_MINUTE: '0', ...env };
  const system = await startSystem({ dispatcher: false, now, env: settings, bank });
  // Thirty settle at once in a test, and each waits for a connection.
  const db = connect(system.env.DATABASE_URL!, { poolSize: 30, patienceMs });
  const accounts = readBanks(readEnvironment(Type.Object(bankSettings), system.env), timeoutMs);
  const banks = openBanks(accounts, { now: () => now().getTime() });
  const pix = banks.find(defaultBank)!.client;
  t.teardown(async () => {
    await Promise.all([banks.close(), db.destroy()]);
    await system.stop();
  });
  const lines: LogLine[] = [];
  const log: Logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const faults = async (named = {}) => {
    await system.bank('/bank/faults', {});
    await system.bank('/bank/faults', { dropCallbacks: true, ...named });
  };
  await faults();
  const store = await system.createStore();
  const payment = async (id: string) => (await findPayment(db, id))!;
  const createOne = async () => {
    const body = { amount: 10, webhookUrl: 'http://127.0.0.1:1/' };
    return payment((await createPayment(system.api, store.token, body)).id);
  };
  const pay = async (paid: StoredPayment, valor?: string) => {
    const body = { pixCopiaECola: paid.copyAndPaste, ...(valor ? { valor } : {}) };
    return (await system.bank('/bank/pay', body)).body.endToEndId as string;
  };
  const bench: Bench = {
    context: atBankOf({ db, banks, log, now, ...rules }, defaultBank),
    system,
    db,
    pix,
    store,
    lines,
    advance: (seconds) => {
      offsetMs += seconds * 1_000;
    },
    stopClock: (test) => {
      stoppedAt = Date.now();
      test.teardown(async () => {
        stoppedAt = undefined;
      });
    },
    faults,
    create: async (count) => {
      const made: StoredPayment[] = [];
      while (made.length < count) {
        const missing = Math.min(20, count - made.length);
        made.push(...(await Promise.all(Array.from({ length: missing }, createOne))));
      }
      return made;
    },
    pay,
    review: async () => {
      const [created] = await bench.create(1);
      await pay(created!, '5.00');
      await settle(bench, created!.id);
      return payment(created!.id);
    },
    payment,
    refundsAtBank: async (id) => {
      const { body } = await system.bank(`/bank/charges/${txidOf(id)}`);
      return body.pix.flatMap((one) => one.devolucoes);
    },
  };
  return bench;
}

/** Reads a payment's charge from the bank. */
export async function chargeOf({ pix }: Bench, id: string) {
  return (await pix.getCharge(txidOf(id)))!;
}
