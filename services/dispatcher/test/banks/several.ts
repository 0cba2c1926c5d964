import { connect, type Database } from '@payments/database/connection';
import { findPayment } from '@payments/database/payments/payments';
import { call, type HttpAnswer } from '@payments/testing/http';
import {
  type ProcessSystem,
  type ProcessSystemOptions,
  startProcessSystem,
} from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import type { TestStore } from '@payments/testing/system-client';
import type { Ending } from '../shop.ts';

/** The service as processes with two banks of different profiles, `first` preferred. */
export type TwoBanks = {
  system: ProcessSystem;
  db: Database;
  /** Makes a bank misbehave; ends that without faults. */
  faults(bank: string, named?: Record<string, unknown>): Promise<void>;
  /** Pays a code at a bank. @returns the endToEndId */
  pay(bank: string, code: string): Promise<string>;
  /** A charge at a bank, with its Pix and their refunds; 404 where it has none. */
  charge(bank: string, id: string): Promise<HttpAnswer>;
  create(store: TestStore, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** A store that sells by these banks alone. */
  createStore(banks: string[] | null): Promise<TestStore>;
  /** The bank whose code a store was shown. */
  bankOf(shown: { id: string; code: string | null }): string | undefined;
  /** Charges that can be paid at both banks. */
  atBoth(): string[];
  /** Charges that both banks took, removed ones included. */
  everAtBoth(): string[];
  detail(id: string): Promise<HttpAnswer['body']>;
  untilDetail(id: string, what: string, holds: (detail: HttpAnswer['body']) => boolean): Promise<void>;
};

export const txidOf = (id: string) => id.replaceAll('-', '');

export async function startTwoBanks(t: Ending, options: ProcessSystemOptions = {}): Promise<TwoBanks> {
  const system = await startProcessSystem({
    banks: [
      { id: 'first', profile: 'bb' },
      { id: 'second', profile: 'efi' },
    ],
    ...options,
  });
  const db = connect(system.databaseUrl, { poolSize: 2 });
  t.teardown(async () => {
    await db.destroy();
    await system.stop();
  });
  const { banks } = system;
  const ledger = (id: string) => banks.at(id).simulator.bank.ledger;
  const isActive = (bank: string, txid: string) => ledger(bank).charges.get(txid)?.status === 'ATIVA';
  const detail = async (id: string) => (await system.admin(`/admin/payments/${id}`)).body;
  return {
    system,
    db,
    faults: async (bank, named = {}) =>
      void (await call(`${banks.at(bank).url}/bank/faults`, { body: named })),
    pay: async (bank, code) => {
      const { body } = await call(`${banks.at(bank).url}/bank/pay`, { body: { pixCopiaECola: code } });
      return body.endToEndId;
    },
    charge: (bank, id) => call(`${banks.at(bank).url}/bank/charges/${txidOf(id)}`),
    create: ({ token }, headers = {}) =>
      system.call('/api-public/payments', { token, headers, body: { amount: 10 } }),
    createStore: async (wanted) => {
      const store = await system.createStore();
      await db.updateTable('stores').set({ banks: wanted }).where('id', '=', store.id).execute();
      return store;
    },
    bankOf: ({ id, code }) =>
      banks.banks.find((bank) => {
        const charge = ledger(bank.id).charges.get(txidOf(id));
        return charge !== undefined && code?.includes(charge.location);
      })?.id,
    atBoth: () =>
      [...ledger('first').charges.keys()].filter(
        (txid) => isActive('first', txid) && isActive('second', txid),
      ),
    everAtBoth: () =>
      [...ledger('first').charges.keys()].filter((txid) => ledger('second').charges.has(txid)),
    detail,
    untilDetail: (id, what, holds) =>
      eventually(what, async () => holds(await detail(id)) || undefined).then(() => {}),
  };
}

/** The bank that took a payment's charge. */
export async function bankInDatabase(db: Database, id: string): Promise<string | null | undefined> {
  return (await findPayment(db, id))?.bank;
}
