import { txidOf } from '@payments/domain/identifiers';
import { defaultBank } from '@payments/pix/bank-settings';
import { openBanks } from '@payments/pix/banks';
import { bacen } from '@payments/pix/profiles/bacen';
import { atBankOf, type BankContext } from '../../src/context.ts';
import { type Bench, type Ending, openBench } from '../at-bank.ts';
import { type Bank, bankAt } from './bank.ts';
import { reais } from './facts.ts';
import { type Front, startFront } from './front.ts';
import type { Terms } from './model.ts';
import { startWorkers, type Workers } from './workers.ts';

/** The service, the bank and the proxy between them; histories run one after another in it. */
export type World = {
  context: BankContext;
  databaseUrl: string;
  bank: Bank;
  front: Front;
  workers: Workers;
  /** How far the service's clock is ahead of the machine's. */
  offsetMs(): number;
  /** Advances the service's clock and the bank's. */
  pass(seconds: number): Promise<void>;
  /** Sets how far the bank's clock is ahead of the service's. */
  skew(seconds: number): Promise<void>;
  createStore(terms: Terms): Promise<Store>;
};

export type Store = {
  id: string;
  terms: Terms;
  create(amount: number): Promise<{ id: string; txid: string }>;
  /** Changes the store's fees. */
  changeFees(): Promise<void>;
};

export const chargeSeconds = 3_600;
export const graceSeconds = 120;

export async function openWorld(t: Ending): Promise<World> {
  const ends: (() => Promise<void>)[] = [];
  const bench = await openBench({ teardown: (end) => ends.push(end) }, async () => {}, {
    CHARGE_EXPIRES_IN_SECONDS: String(chargeSeconds),
  });
  const bank = bankAt(bench.system.bankUrl);
  const front = await startFront(bench.system.bankUrl);
  const databaseUrl = bench.system.env.DATABASE_URL!;
  const workers = startWorkers({ databaseUrl, bankUrl: front.url });
  const now = () => bench.context.now().getTime();
  const account = { clientId: 'client', clientSecret: 'secret', key: bench.pix.key };
  const options = { ...account, url: front.url, timeoutMs: 2_000, profile: bacen };
  const banks = openBanks([{ id: defaultBank, options, callbackUrl: null }], { now });
  t.teardown(async () => {
    await Promise.all([workers.close(), banks.close()]);
    await front.close();
    for (const end of ends) await end();
  });
  let offset = 0;
  let skewed = 0;
  return {
    context: atBankOf({ ...bench.context, banks }, defaultBank),
    databaseUrl,
    bank,
    front,
    workers,
    offsetMs: () => offset,
    pass: async (seconds) => {
      offset += seconds * 1_000;
      bench.advance(seconds);
      await bank.advance(seconds);
    },
    skew: async (seconds) => {
      await bank.advance(seconds - skewed);
      skewed = seconds;
    },
    createStore: (terms) => createStore(bench, terms),
  };
}

async function createStore({ system }: Bench, terms: Terms): Promise<Store> {
  const inReais = (amount: number | null) => (amount === null ? null : Number(reais(amount)));
  const { percent: feePercent, fixed, reviewAbove } = terms;
  const fields = { feePercent, feeFixed: inReais(fixed), reviewAbove: inReais(reviewAbove) };
  const { id: storeId, token } = await system.createStore(fields);
  return {
    id: storeId,
    terms,
    create: async (amount) => {
      const body = { amount: Number(reais(amount)), webhookUrl: 'http://127.0.0.1:1/' };
      const answer = await system.api('/api-public/payments', { token, body });
      if (answer.status !== 200) throw new Error(answer.text);
      return { id: answer.body.id, txid: txidOf(answer.body.id) };
    },
    changeFees: async () => {
      const body = { feePercent: 50, feeFixed: 7 };
      await system.admin(`/admin/stores/${storeId}`, { method: 'PATCH', body });
    },
  };
}
