import { findPix } from '@payments/database/charges/pix-received';
import { findPayment } from '@payments/database/payments/payments';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import type { Entry } from '@payments/domain/compare-day';
import { paymentIdOf } from '@payments/domain/identifiers';
import type { ReceivedPix } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import { everyPage } from '@payments/pix/listed-pages';
import type { BankContext } from './context.ts';
import { slicesOf } from './slices.ts';

/** A day at a bank; today's ends with what the bank lists already. */
export type Day = { since: Date; until: Date };

/** A bank's day. `others` are Pix that came to the account for something else. */
export type BankDay = { entries: Entry[]; others: { count: number; amount: number } };

// A refund may be made for 90 days (API Pix 2.9), and a payer's bank may ask for a Pix back for 80 (MED).
const returnedForMs = 92 * 24 * 60 * 60_000;

/**
 * Reads what a bank has of a day: Pix by their `horario`, and returns by the time when they were made.
 * @throws PixUnavailable, also for a listed Pix that can't be read; PixRefused
 */
export async function readBankDay(context: BankContext, { since, until }: Day): Promise<BankDay> {
  const isInside = (moment: Date) => moment >= since && moment < until;
  const sort = sorter(context);
  const listed = await list(context, { since, until }, false);
  const { ours, others } = await sort(listed.filter(({ paidAt }) => isInside(paidAt)));
  const longAgo = new Date(since.getTime() - returnedForMs);
  const returned = await sort(await list(context, { since: longAgo, until }, true));
  const madeAt = await timesOfReturns(context, returned.ours);
  const returns = returned.ours.flatMap((pix) => returnsOf(pix, madeAt)).filter(({ at }) => isInside(at));
  return {
    entries: [...ours.map(pixEntry), ...returns.map(({ entry }) => entry)],
    others: { count: others.length, amount: others.reduce((sum, { amount }) => sum + amount, 0) },
  };
}

/** @returns every Pix of a range once: a list may hold a second more than the range at each end */
async function list({ pix }: BankContext, { since, until }: Day, returned: boolean): Promise<ReceivedPix[]> {
  const found = new Map<string, ReceivedPix>();
  for (const slice of slicesOf({ from: since, to: until }, pix.longestListMs))
    for await (const read of everyPage(pix, { ...slice, ...(returned && { returned }) })) {
      if (read.unreadable.length > 0) throw new PixUnavailable('listPix', 'unreadable');
      for (const one of read.pix) found.set(one.endToEndId, one);
    }
  return [...found.values()];
}

const pixEntry = ({ endToEndId, amount, txid }: ReceivedPix): Entry => ({ endToEndId, amount, txid });

function returnsOf(
  { endToEndId, txid, paidAt, refunds }: ReceivedPix,
  known: ReadonlyMap<string, Date | null>,
): { at: Date; entry: Entry }[] {
  return refunds
    .filter(({ status }) => status === 'DEVOLVIDO')
    .map(({ id: refundId, amount, settledAt }) => ({
      // Some banks give no time: then ours counts, or the Pix's.
      at: settledAt ?? known.get(`${endToEndId} ${refundId}`) ?? paidAt,
      entry: { endToEndId, refundId, amount, txid },
    }));
}

async function timesOfReturns({ db }: BankContext, pix: readonly ReceivedPix[]) {
  const known = await listRefundsOfPix(db, pix.map(idOf));
  return new Map(known.map(({ endToEndId, id, madeAt }) => [`${endToEndId} ${id}`, madeAt]));
}

const idOf = ({ endToEndId }: ReceivedPix) => endToEndId;

/** @returns a function that tells our Pix from the account's other money. It asks for each unknown charge once. */
function sorter({ db, pix: client }: BankContext) {
  const asked = new Map<string, boolean>();
  const isOurCharge = async (txid: string): Promise<boolean> => {
    const paymentId = paymentIdOf(txid);
    if (paymentId === undefined) return false;
    if (await findPayment(db, paymentId)) return true;
    const charge = await client.getCharge(txid);
    return charge === null || charge.storeId !== null;
  };
  const isOurs = async (txid: string): Promise<boolean> => {
    const isOur = asked.get(txid) ?? (await isOurCharge(txid));
    asked.set(txid, isOur);
    return isOur;
  };
  return async (listed: readonly ReceivedPix[]) => {
    const known = new Set((await findPix(db, listed.map(idOf))).map((one) => one.endToEndId));
    const [ours, others]: [ReceivedPix[], ReceivedPix[]] = [[], []];
    for (const one of listed) {
      const own = known.has(one.endToEndId) || (one.txid !== null && (await isOurs(one.txid)));
      (own ? ours : others).push(one);
    }
    return { ours, others };
  };
}
