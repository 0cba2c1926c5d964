import { readPausedBanks } from '@payments/database/banks/banks';
import { findStore } from '@payments/database/stores/stores';
import { createdAtOf } from '@payments/domain/identifiers';
import { beginPayment } from '../../src/charges/begin-payment.ts';
import type { SettlementContext } from '../../src/context.ts';

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
