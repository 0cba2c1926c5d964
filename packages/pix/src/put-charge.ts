import { PixRefused, PixUnavailable } from './errors.ts';
import { isSameKey } from './keys.ts';
import { type ChargeBody, chargeBody, lesserBodies, type NewCharge } from './requests.ts';
import type { Charge, RegisteredCharge, UsableCharge } from './types.ts';

export type ChargeCalls = {
  /** Sends `PUT /cob/{txid}`, and judges the response with {@link usable}. */
  put: (body: ChargeBody) => Promise<UsableCharge>;
  /** Null when the PSP does not know the charge. */
  get: () => Promise<Charge | null>;
};

/**
 * Registers a charge. Two refusals are not the last word. Some PSPs refuse a txid that they have already: after a lost
 * response they have the charge. And some refuse a text that the charge can do without: it is asked for once more without
 * what payers read, and then without our mark.
 * @throws the refusal; PixUnavailable, also if it is unknown whether the PSP has the charge already
 */
export async function putCharge(
  { put, get }: ChargeCalls,
  key: string,
  wanted: NewCharge,
  now: () => number,
): Promise<RegisteredCharge> {
  const body = chargeBody(key, wanted);
  try {
    return { ...(await put(body)), refusedParts: null };
  } catch (error) {
    if (!(error instanceof PixRefused) || (error.aboutAccess && !isOfFirewall(error))) throw error;
    const known = await knownDespite(error, get);
    if (known && isPayable(known, wanted, now()))
      return { ...usable(known, key, wanted), refusedParts: null };
    if (known || !isOfContent(error)) throw error;
    return { ...(await putLess(put, lesserBodies(body), error)), refusedParts: error };
  }
}

async function putLess(
  put: ChargeCalls['put'],
  [less, ...rest]: readonly ChargeBody[],
  refusal: PixRefused,
): Promise<UsableCharge> {
  if (!less) throw refusal;
  return put(less).catch((error: unknown) => {
    if (!(error instanceof PixRefused) || !isOfContent(error)) throw error;
    return putLess(put, rest, error);
  });
}

/** A request's content is refused with these statuses. */
const ofContent: readonly number[] = [400, 422];

const isOfContent = (refusal: PixRefused) => ofContent.includes(refusal.status) || isOfFirewall(refusal);

/** A PSP that refuses our access says so. A firewall before it dislikes a text, and answers with a page. */
function isOfFirewall({ status, type, detail }: PixRefused): boolean {
  return status === 403 && type === null && detail === null;
}

async function knownDespite(refusal: PixRefused, get: ChargeCalls['get']): Promise<Charge | null> {
  return get().catch((unanswered: unknown) => {
    if (!(unanswered instanceof PixUnavailable)) return null;
    throw new PixUnavailable('putCharge', 'status', refusal.message, refusal.status);
  });
}

/** An expired charge stays `ATIVA`. */
function isPayable(charge: Charge, { amount }: NewCharge, now: number): boolean {
  const { createdAt, expiresInSeconds } = charge;
  const hasEnded =
    createdAt !== null && expiresInSeconds !== null && createdAt.getTime() + expiresInSeconds * 1000 <= now;
  return charge.status === 'ATIVA' && charge.amount === amount && !hasEnded;
}

/**
 * @returns the charge, if it is the one that was asked for, with a code that pays it to us
 * @throws PixUnavailable (`unreadable`) with the field that says otherwise, never its value
 */
export function usable(charge: Charge, key: string, { amount }: Pick<NewCharge, 'amount'>): UsableCharge {
  const { copyAndPaste } = charge;
  const odd =
    (!isSameKey(key, charge.key) && 'chave') ||
    (charge.amount !== amount && 'valor.original') ||
    (charge.status !== 'ATIVA' && 'status');
  if (odd || copyAndPaste === null) {
    throw new PixUnavailable('putCharge', 'unreadable', `${odd || 'pixCopiaECola'} is not this charge's`);
  }
  return { ...charge, copyAndPaste };
}
