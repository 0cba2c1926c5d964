import { readPausedBanks } from '@payments/database/banks/banks';
import { findStore } from '@payments/database/stores/stores';
import { createdAtOf, txidOf } from '@payments/domain/identifiers';
import { beginPayment } from '../../src/charges/begin-payment.ts';
import type { SettlementContext } from '../../src/context.ts';
import type { Bench } from '../at-bank.ts';
import { bankIds, reais } from './bank.ts';
import type { Terms } from './model.ts';

export type Store = {
  id: string;
  terms: Terms;
  /** The ids of its banks; null for all. */
  banks: string[] | null;
  create(amount: number): Promise<{ id: string; txid: string }>;
  /** Changes the store's fees. */
  changeFees(): Promise<void>;
};

/** @param places its banks, in its order; null for all */
export async function createStore(
  { system }: Bench,
  terms: Terms,
  places: readonly number[] | null,
): Promise<Store> {
  const inReais = (amount: number | null) => (amount === null ? null : Number(reais(amount)));
  const { percent: feePercent, fixed, reviewAbove } = terms;
  const fields = { feePercent, feeFixed: inReais(fixed), reviewAbove: inReais(reviewAbove) };
  const { id: storeId, token } = await system.createStore(fields);
  const banks = places?.map((place) => bankIds[place]!) ?? null;
  if (banks) await system.db.updateTable('stores').set({ banks }).where('id', '=', storeId).execute();
  return {
    ...{ id: storeId, terms, banks },
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

export type Creation = {
  paymentId: string;
  storeId: string;
  amount: number;
  /** True for a request that is repeated under its key: an earlier one may have asked a bank, and died. */
  isRepeated: boolean;
};

export const chargeSeconds = 3_600;

/** Creates a payment as a store's request does. */
export async function create(
  context: SettlementContext,
  { paymentId: id, storeId, amount, isRepeated }: Creation,
): Promise<void> {
  const { db, now, log } = context;
  const store = (await findStore(db, storeId))!;
  const createdAt = now();
  const expiresAt = new Date(createdAt.getTime() + chargeSeconds * 1_000);
  const triedSince = isRepeated ? createdAtOf(id) : undefined;
  const wanted = { id, amount, isPublic: true, createdAt, expiresAt, triedSince };
  const without = {
    observation: null,
    email: null,
    reference: null,
    expiresIn: null,
    description: null,
    by: null,
    requestId: null,
  };
  const pausedBanks = await readPausedBanks(db);
  await beginPayment(
    context,
    store,
    { ...wanted, ...without, webhookUrl: 'http://127.0.0.1:1/', pausedBanks },
    log,
  );
}
