import { listPixReceived, type PixReceived } from '@payments/database/charges/pix-received';
import { type ChargeProblem, listChargeProblemsOf } from '@payments/database/charges/problems';
import {
  type Delivery,
  listAttempts,
  listDeliveries,
  readContents,
} from '@payments/database/deliveries/list';
import type { Attempt } from '@payments/database/deliveries/record';
import { type Change, listChanges } from '@payments/database/operations/changes';
import { type HistoryEntry, listHistory } from '@payments/database/payments/history';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { listRefunds, type Refund } from '@payments/database/refunds/refunds';
import { findStore, type Store } from '@payments/database/stores/stores';
import { webhookBody } from '@payments/domain/events';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../authentication/actor.ts';
import { ownPayment } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';

/** A delivery with its attempts and the body of each of them. */
export type AttemptedDelivery = { delivery: Delivery; attempts: Attempt[]; body: string };

/** All data of a payment's page; amounts in centavos. */
export type Picture = {
  payment: StoredPayment;
  store: Store | undefined;
  history: HistoryEntry[];
  pix: PixReceived[];
  refunds: Refund[];
  deliveries: AttemptedDelivery[];
  changes: Change[];
  /** Work on the charge that keeps failing. */
  problems: ChargeProblem[];
};

const allOf = { page: 1, limit: 200 };

/** @throws ApiError 404 for an unknown payment, or another store's */
export async function pictureOf({ db }: Pick<ApiContext, 'db'>, actor: Actor, id: string): Promise<Picture> {
  const payment = await findPayment(db, await ownPayment(db, actor, id));
  if (!payment) throw errors.paymentNotFound();
  const [store, history, pix, refunds, { items }, contents, changes, problems] = await Promise.all([
    findStore(db, payment.storeId),
    listHistory(db, id),
    listPixReceived(db, id),
    listRefunds(db, id),
    listDeliveries(db, { paymentId: id }, allOf),
    readContents(db, id),
    listChanges(db, { paymentId: id }, allOf),
    listChargeProblemsOf(db, id),
  ]);
  const withAttempts = async (delivery: Delivery) => {
    const content = contents.get(delivery.id);
    const attempts = await listAttempts(db, delivery.id);
    return { delivery, attempts, body: content ? webhookBody(content) : '' };
  };
  return {
    payment,
    store,
    history,
    pix,
    refunds,
    deliveries: await Promise.all(items.reverse().map(withAttempts)),
    changes: may(actor.role, 'readStoreRecord') ? changes.items : [],
    problems,
  };
}
