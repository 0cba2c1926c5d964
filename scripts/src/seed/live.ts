import { callJson } from '@payments/testing/json-client';
import type { Receiver } from '@payments/testing/receiver';
import { createClient } from 'public-payments-client';
import { payAtBank } from '../pay-at-bank.ts';
import type { Step } from './lives.ts';
import type { PlannedPayment } from './plan-month.ts';

export type Addresses = { apiUrl: string; adminUrl: string; adminKey: string; bankUrls: string[] };

/** A store's access, and the receiver of its webhooks. */
export type Shop = { at: Addresses; token: string; receiver: Receiver };

/** A payment that is there. */
export type LivePayment = PlannedPayment & {
  id: string;
  code: string;
  pix?: { endToEndId: string; bank: string };
};

const patienceMs = 30_000;
const patient = { intervalMs: 20, timeoutMs: patienceMs };
const reason = 'Demonstração';

/** Creates a payment as its store does, and waits for its webhook. */
export async function create(shop: Shop, planned: PlannedPayment): Promise<LivePayment> {
  const { amount, observation, email, expiresIn, isClosed } = planned;
  const { id, qrCopyPaste } = await clientOf(shop).create({
    ...{ amount, observation, email },
    ...(expiresIn !== undefined && { expiresIn }),
    ...(isClosed && { webhookUrl: shop.receiver.url }),
  });
  if (qrCopyPaste === null) throw new Error(`the bank has not registered “${observation}”`);
  const payment = { ...planned, id, code: qrCopyPaste };
  await reached(shop, payment, 'pending');
  return payment;
}

/** Takes a step as the customer, the bank or an administrator does, and waits until it has had its effect. */
export async function take(shop: Shop, payment: LivePayment, step: Step): Promise<void> {
  const { adminUrl, adminKey, bankUrls } = shop.at;
  const path = `${adminUrl}/admin/payments/${payment.id}`;
  switch (step.kind) {
    case 'pay': {
      const { share = 1, refusesRefunds = false, until } = step;
      payment.pix = await payAtBank(bankUrls, payment.code, { valor: part(payment, share), refusesRefunds });
      return reached(shop, payment, until);
    }
    case 'pay-again':
      await payAtBank(bankUrls, payment.code);
      return refundsEnded(shop, payment);
    case 'expire':
      return reached(shop, payment, 'not_approved');
    case 'move':
      await callJson(`${path}/status`, adminKey, { status: step.to, reason });
      return reached(shop, payment, step.to);
    case 'refund':
      await callJson(`${path}/refunds`, adminKey, { amount: Number(part(payment, step.share)), reason });
      return refundsEnded(shop, payment);
    case 'refuse-again':
      return refundsEnded(shop, payment, step.refusals);
    case 'take-back': {
      const { endToEndId, bank } = payment.pix!;
      const body = { endToEndId, valor: part(payment, step.share) };
      await callJson(`${bank}/bank/refunds`, undefined, body);
      return refundsEnded(shop, payment);
    }
  }
}

const clientOf = ({ at, token }: Shop) => createClient({ baseUrl: at.apiUrl, token });

const part = ({ amount }: PlannedPayment, share: number) => (amount * share).toFixed(2);

/** Waits for the webhook, so that it is dated before the clock moves on. */
async function reached(shop: Shop, { id, isClosed }: LivePayment, status: string): Promise<void> {
  if (!isClosed) {
    await clientOf(shop).waitFor(id, { until: (current) => current === status, ...patient });
    return;
  }
  const tells = ({ body }: { body: string }) => body.includes(id) && body.includes(`"status":"${status}"`);
  await shop.receiver.waitFor(tells, patienceMs).catch(() => {
    throw new Error(`the webhook of payment ${id}, now ${status}, has not come`);
  });
}

/** Waits until the bank has made or refused every refund of the payment, of which there are at least so many. */
async function refundsEnded({ at, receiver }: Shop, { id }: LivePayment, atLeast = 1): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const detail = await callJson<Detail>(`${at.adminUrl}/admin/payments/${id}`, at.adminKey);
    const isEnded = ({ state }: { state: string }) => state === 'refunded' || state === 'failed';
    const isHeard = receiver.received.filter(({ body }) => body.includes(id)).length >= detail.events.length;
    if (detail.refunds.length >= atLeast && detail.refunds.every(isEnded) && isHeard) return;
    if (Date.now() > deadline) throw new Error(`the refunds of payment ${id} have not ended`);
    await new Promise((resolve) => setTimeout(resolve, patient.intervalMs));
  }
}

type Detail = { refunds: { state: string }[]; events: unknown[] };
