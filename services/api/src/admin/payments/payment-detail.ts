import { listPixReceived, type PixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { Database, Queryable } from '@payments/database/connection';
import { type Delivery, listAttempts, listDeliveries } from '@payments/database/deliveries/list';
import { listChanges } from '@payments/database/operations/changes';
import { listHistory } from '@payments/database/payments/history';
import { findPayment, type StoredPayment } from '@payments/database/payments/payments';
import { listRefunds } from '@payments/database/refunds/refunds';
import { inSnapshot } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import { reaisFrom } from '@payments/domain/money';
import { paymentReadView } from '@payments/domain/payment';
import { changeView } from '../changes/change-view.ts';
import { refundView } from '../refunds/refund-view.ts';

const allOf = { page: 1, limit: 200 };

/** @returns a payment with its history, Pix, refunds and deliveries, of one moment; amounts in reais */
export function paymentDetail(db: Database, id: string, publicUrl: string) {
  return inSnapshot(db, async (trx) => {
    const payment = await findPayment(trx, id);
    return payment && detailOf(trx, payment, publicUrl);
  });
}

async function detailOf(db: Queryable, payment: StoredPayment, publicUrl: string) {
  const { id } = payment;
  const { items } = await listDeliveries(db, { paymentId: id }, allOf);
  const deliveries = [];
  for (const delivery of items.reverse()) deliveries.push(await deliveryDetail(db, delivery));
  return {
    ...paymentReadView(payment, publicUrl),
    charged: reaisFrom(payment.charged),
    bank: payment.bank,
    txid: txidOf(id),
    chargeState: payment.chargeState,
    expiresAt: payment.expiresAt,
    reviewSince: payment.reviewSince,
    events: await listHistory(db, id),
    pix: (await listPixReceived(db, id)).map(pixView),
    refunds: (await listRefunds(db, id)).map(refundView),
    changes: (await listChanges(db, { paymentId: id }, allOf)).items.map(changeView).reverse(),
    problems: await listChargeProblemsOf(db, id),
    deliveries,
  };
}

function pixView({ counts: _, amount, ...pix }: PixReceived) {
  return { ...pix, amount: reaisFrom(amount) };
}

/** @returns a delivery with its attempts */
export async function deliveryDetail(db: Queryable, delivery: Delivery) {
  return { ...delivery, attempts: await listAttempts(db, delivery.id) };
}
