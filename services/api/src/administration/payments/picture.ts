import { listPixReceived, type PixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { Queryable } from '@payments/database/connection';
import { type Delivery, listDeliveries, readAttempts } from '@payments/database/deliveries/list';
import { listHistory } from '@payments/database/payments/history';
import { findPayment } from '@payments/database/payments/payments';
import { listChanges } from '@payments/database/record/changes';
import { listRefunds } from '@payments/database/refunds/refunds';
import { inSnapshot } from '@payments/database/transaction';
import { txidOf } from '@payments/domain/identifiers';
import { reaisFrom } from '@payments/domain/money';
import { paymentReadView } from '@payments/domain/payment';
import { may } from '@payments/domain/roles';
import type { Actor } from '../../access/actor.ts';
import { ownPayment } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { changeView } from '../record/change-view.ts';
import { refundView } from '../refunds/schemas.ts';

const allOf = { page: 1, limit: 200 };

/** A payment and all that an actor may know of it; amounts in centavos, lists oldest first. */
export type Picture = Awaited<ReturnType<typeof readPicture>>;

/** @throws ApiError 404 for an unknown payment, or another store's */
export async function pictureOf({ db }: Pick<AdministrationContext, 'db'>, actor: Actor, given: string) {
  const id = await ownPayment(db, actor, given);
  return inSnapshot(db, (trx) => readPicture(trx, actor, id));
}

/** Reads a picture of one moment in a snapshot. @throws ApiError 404 for an unknown payment */
export async function readPicture(snapshot: Queryable, { role }: Actor, id: string) {
  const payment = await findPayment(snapshot, id);
  if (!payment) throw errors.paymentNotFound();
  const deliveries = await listDeliveries(snapshot, { paymentId: id }, allOf);
  const mayReadChanges = may(role, 'readStoreRecord');
  const changes = mayReadChanges ? (await listChanges(snapshot, { paymentId: id }, allOf)).items : [];
  return {
    payment,
    history: await listHistory(snapshot, id),
    pix: await listPixReceived(snapshot, id),
    refunds: await listRefunds(snapshot, id),
    deliveries: await withAttempts(snapshot, deliveries.items.reverse()),
    changes: changes.reverse(),
    problems: await listChargeProblemsOf(snapshot, id),
  };
}

/** @returns deliveries with their attempts */
export async function withAttempts(db: Queryable, deliveries: readonly Delivery[]) {
  const ids = deliveries.map(({ id }) => id);
  const attempts = ids.length > 0 ? await readAttempts(db, ids) : undefined;
  return deliveries.map((delivery) => ({ ...delivery, attempts: attempts?.get(delivery.id) ?? [] }));
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
