import { listPixReceived, type PixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import {
  type Delivery,
  listAttempts,
  listDeliveries,
  readContents,
} from '@payments/database/deliveries/list';
import { listChanges } from '@payments/database/operations/changes';
import { listHistory } from '@payments/database/payments/history';
import { findPayment } from '@payments/database/payments/payments';
import { listRefunds } from '@payments/database/refunds/refunds';
import { findStore } from '@payments/database/stores/stores';
import { inSnapshot } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import { reaisFrom } from '@payments/domain/money';
import { paymentReadView } from '@payments/domain/payment';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../authentication/actor.ts';
import { ownPayment } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { changeView } from '../changes/change-view.ts';
import { refundView } from '../refunds/refund-view.ts';

const allOf = { page: 1, limit: 200 };

/** A payment and all that an actor may know of it; amounts in centavos, lists oldest first. */
export type Picture = Awaited<ReturnType<typeof pictureOf>>;

/** @throws ApiError 404 for an unknown payment, or another store's */
export async function pictureOf({ db }: Pick<ApiContext, 'db'>, actor: Actor, given: string) {
  const id = await ownPayment(db, actor, given);
  return inSnapshot(db, async (trx) => {
    const payment = await findPayment(trx, id);
    if (!payment) throw errors.paymentNotFound();
    const deliveries = [];
    const { items } = await listDeliveries(trx, { paymentId: id }, allOf);
    for (const delivery of items.reverse()) deliveries.push(await deliveryDetail(trx, delivery));
    const changes = await listChanges(trx, { paymentId: id }, allOf);
    return {
      payment,
      store: await findStore(trx, payment.storeId),
      history: await listHistory(trx, id),
      pix: await listPixReceived(trx, id),
      refunds: await listRefunds(trx, id),
      deliveries,
      contents: await readContents(trx, id),
      changes: may(actor.role, 'readStoreRecord') ? changes.items.reverse() : [],
      problems: await listChargeProblemsOf(trx, id),
    };
  });
}

/** @returns a delivery with its attempts */
export async function deliveryDetail(db: Queryable, delivery: Delivery) {
  return { ...delivery, attempts: await listAttempts(db, delivery.id) };
}

/** @returns the picture as the admin API shows it; amounts in reais */
export function paymentDetail({ payment, ...picture }: Picture, publicUrl: string) {
  return {
    ...paymentReadView(payment, publicUrl),
    charged: reaisFrom(payment.charged),
    bank: payment.bank,
    txid: txidOf(payment.id),
    chargeState: payment.chargeState,
    expiresAt: payment.expiresAt,
    reviewSince: payment.reviewSince,
    events: picture.history,
    pix: picture.pix.map(pixView),
    refunds: picture.refunds.map(refundView),
    changes: picture.changes.map(changeView),
    problems: picture.problems,
    deliveries: picture.deliveries,
  };
}

function pixView({ counts: _, amount, ...pix }: PixReceived) {
  return { ...pix, amount: reaisFrom(amount) };
}
