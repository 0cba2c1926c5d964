import { setTimeout as pause } from 'node:timers/promises';
import { move } from '../load/administrator.ts';
import { enter } from '../load/create.ts';
import { pay } from '../load/payer.ts';
import { anyStore, until, type World } from '../load/world.ts';
import type { Breach, PaymentBody, SeenPayment } from '../observations.ts';
import { countedPix, keptOf, returnedByUs } from '../promises/bank-facts.ts';
import { breachOf } from '../promises/promise.ts';
import { lookAtBanks } from '../verdict/collect-evidence.ts';
import type { BankCharge, PaymentDetail, UnmatchedShown } from '../verdict/evidence.ts';

/** How many payments of each kind a disaster sets apart from the bank. */
export const eachKind = 20;

// Longer than a drill: they neither expire at the bank nor here.
const expiresIn = 3_600;
const removalMs = 30_000;
const patienceMs = 60_000;
const removed = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

/** Creates payments whose codes outlast the drill. */
export async function createLasting(world: World, plan: string): Promise<SeenPayment[]> {
  const made: SeenPayment[] = [];
  while (made.length < eachKind) {
    const store = anyStore(world);
    const request = { amount: 10, observation: `${plan} ${made.length}` };
    const sent = { token: store?.token, body: { ...request, expiresIn } };
    const answer = await world.api<PaymentBody>('create', '/api-public/payments', sent);
    if (store && answer.status === 200 && answer.body.qrCopyPaste)
      made.push(enter(world, store, { request, body: answer.body, plan }));
    else await pause(300);
  }
  return made;
}

/** Cancels payments, and waits until their charges are removed at the bank. */
export async function cancelAtBank(world: World, payments: readonly SeenPayment[]): Promise<void> {
  const cancel = async (payment: SeenPayment) => {
    await move(world, payment, 'not_approved');
    const isRemoved = async () => ((await look(world, payment)).bank?.status === removed ? true : undefined);
    if (!(await until(removalMs, isRemoved))) throw new Error(`the charge of ${payment.id} is not removed`);
  };
  await Promise.all(payments.map(cancel));
}

const look = (world: World, { id, body }: SeenPayment) => lookAtBanks(world, id, body);

/**
 * Pays codes of lost payments, after the restore.
 * @returns the milliseconds until each of their Pix is a payment's, or held; breaches of promise 1 for those that aren't
 */
export async function payLost(
  world: World,
  payments: readonly SeenPayment[],
): Promise<{ ms: number; breaches: Breach[] }> {
  await Promise.all(payments.map((payment) => pay(world, payment, Math.round(payment.body.amount * 100))));
  const from = Date.now();
  let missing = await nowhere(world, payments);
  while (missing.length > 0 && Date.now() - from < patienceMs) {
    await pause(300);
    missing = await nowhere(world, missing);
  }
  const says = `it was paid after the restore, and is nowhere ${patienceMs / 1_000} s later`;
  return { ms: Date.now() - from, breaches: missing.map(({ id }) => breachOf(1, id, says)) };
}

async function nowhere(world: World, payments: readonly SeenPayment[]): Promise<SeenPayment[]> {
  const ids = new Set([...(await heldPix(world, false)), ...(await heldPix(world, true))]);
  const missing: SeenPayment[] = [];
  for (const payment of payments) {
    if (payment.pix.every(({ endToEndId }) => ids.has(endToEndId))) continue;
    const detail = await world.admin<PaymentDetail>('look', `/admin/payments/${payment.id}`);
    const known = detail.status === 200 ? detail.body.pix.length : 0;
    if (known < payment.pix.length) missing.push(payment);
  }
  return missing;
}

/** @returns the endToEndIds of the Pix that fit no payment, of test stores or of the others */
async function heldPix(world: World, test: boolean): Promise<string[]> {
  const path = `/admin/unmatched-pix?limit=200&test=${test}`;
  const held = await world.admin<{ items: UnmatchedShown[] }>('look', path);
  return held.status === 200 ? held.body.items.map(({ endToEndId }) => endToEndId) : [];
}

/**
 * Waits until no review is left whose money went back by our order, and no pending payment whose charge is removed.
 * @param from when the services were started, in epoch milliseconds
 * @returns the milliseconds since then; breaches of promise 11 for those that stayed
 */
export async function untilTogether(world: World, from: number): Promise<{ ms: number; breaches: Breach[] }> {
  let apart = await listApart(world);
  while (apart.length > 0 && Date.now() - from < 2 * patienceMs) {
    await pause(1_000);
    apart = await listApart(world);
  }
  return { ms: Date.now() - from, breaches: apart };
}

async function listApart(world: World): Promise<Breach[]> {
  const found: Breach[] = [];
  for (const { token } of world.observations.stores)
    for (const status of ['review', 'pending']) {
      const path = `/api-public/payments?limit=200&status=${status}`;
      const answer = await world.api<{ items: PaymentBody[] }>('look', path, { token });
      const items = answer.status === 200 ? answer.body.items : [];
      for (const item of items) {
        const { bank } = await lookAtBanks(world, item.id, item);
        const says = contradiction(status, bank);
        if (says) found.push(breachOf(11, item.id, says));
      }
    }
  return found;
}

/** @returns in words, how a status contradicts the charge at the bank; undefined if it does not */
export function contradiction(status: string, bank: BankCharge | undefined): string | undefined {
  if (status === 'pending' && bank?.status === removed) return 'it is pending, and its charge is removed';
  const pix = countedPix({ bank });
  const isGone = pix !== undefined && keptOf(pix) === 0 && returnedByUs(pix) > 0;
  return status === 'review' && isGone ? 'it is in review, and its money went back by our order' : undefined;
}
