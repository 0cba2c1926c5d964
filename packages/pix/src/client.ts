import { testBank } from '@payments/domain/route-charge';
import { formatAmount } from './amount.ts';
import { objectIn, readCharge, readChargeInParts, readPix, readRefund } from './answers.ts';
import { type BankSide, bankSide } from './bank-side.ts';
import type { BreakerView } from './breaker.ts';
import type { Operation } from './call.ts';
import { connect } from './connect.ts';
import { isOneOf, textOf } from './json.ts';
import { canonicalKey } from './keys.ts';
import { emptyPage, type PixPage, readPage, withTxids } from './pix-page.ts';
import { putCharge, usable } from './put-charge.ts';
import {
  chargePath,
  type NewCharge,
  type PixRange,
  pixListQuery,
  pixPath,
  refundPath,
  webhookPath,
} from './requests.ts';
import type { HttpAnswer } from './transport.ts';
import type { Charge, PixClientOptions, ReceivedPix, Refund, RegisteredCharge } from './types.ts';

export type * from './types.ts';

/**
 * The API Pix of one PSP (API Pix 2.9). Amounts are centavos. Every operation ends within `timeoutMs` and may
 * throw PixUnavailable or PixRefused (`@payments/pix/errors`), and a RangeError for an argument that the API
 * Pix does not allow, before anything is sent.
 */
export interface PixClient {
  /** Our Pix key as DICT writes it, which is what the bank gets. */
  readonly key: string;
  /** The longest range that the bank lists, in milliseconds. */
  readonly longestListMs: number;
  /** So long before now a list ends, in milliseconds. */
  readonly listLagMs: number;
  /**
   * Creates the charge, or replaces an active one. Repeating it is safe, since the txid is ours. A response that is not
   * this charge with a code is a PixUnavailable (`unreadable`).
   */
  putCharge(txid: string, charge: NewCharge): Promise<RegisteredCharge>;
  /** Null when the PSP does not know it. A Pix of it that can't be read hides no other. */
  getCharge(txid: string): Promise<Charge | null>;
  /** Removes an active charge. A charge that is not active any more is a PixRefused (400). */
  cancelCharge(txid: string): Promise<Charge>;
  /** Never repeated by itself: after a PixUnavailable, look with `getRefund` before asking again. */
  requestRefund(endToEndId: string, refundId: string, amount: number): Promise<Refund>;
  getRefund(endToEndId: string, refundId: string): Promise<Refund | null>;
  /** One Pix that arrived; null when the PSP does not know it. */
  getPix(endToEndId: string): Promise<ReceivedPix | null>;
  listPix(range: PixRange): Promise<PixPage>;
  /** The address to which the PSP reports Pix for our key; null without one. */
  getCallback(): Promise<string | null>;
  registerCallback(url: string): Promise<void>;
  /** When our certificate ends that the bank knows us by; null without one. */
  certificateEnd(): Date | null;
  /** The simulated bank's other side; null at every other bank. */
  readonly bankSide: BankSide | null;
  /** New charges, lists and all else have a breaker each. */
  readonly breakers: Readonly<Record<'creations' | 'lists' | 'others', BreakerView>>;
  /** Lets calls in flight end, then closes the connections. */
  close(): Promise<void>;
}

/** Throws at once when `url` is none, or the files of `tls` can't be read or don't fit together. */
export function createPixClient(options: PixClientOptions): PixClient {
  const key = canonicalKey(options.key);
  const { call, breakers, transport, profile, now, timeoutMs } = connect(options);
  const { codeFields, codeLocationDiffers, pageSize } = profile;
  const receiver = { name: options.merchantName ?? '', city: options.merchantCity ?? '' };
  const reading = { ...receiver, codeFields, codeLocationDiffers };

  const look = <T>(query: Query, read: (answer: HttpAnswer) => T, timeoutMs?: number): Promise<T | null> => {
    const operation = { urgency: 'money', ...query, method: 'GET', repeatable: true } as const;
    const readOrNull = (answer: HttpAnswer) => (isOneOf(profile.missing, answer) ? null : read(answer));
    return call({ ...operation, accepts: profile.missing, read: readOrNull }, timeoutMs);
  };
  const chargeIn = (txid: string) => (answer: HttpAnswer) => readCharge(answer.body, txid, reading);
  const refundIn = (id: string) => (answer: HttpAnswer) => readRefund(answer.body, id);
  const pixIn = (endToEndId: string) => (answer: HttpAnswer) => readPix(answer.body, endToEndId);

  const client: PixClient = {
    key,
    // Ranges are rounded to whole seconds, which may add one.
    longestListMs: profile.listDays * DAY_MS - 1_000,
    listLagMs: profile.listLagSeconds * 1_000,
    putCharge: async (txid, charge) => {
      const endsAt = performance.now() + timeoutMs;
      const timeLeft = () => Math.max(0, endsAt - performance.now());
      const operation = { name: 'putCharge', at: 'putCharge', rest: chargePath(txid) } as const;
      const how = {
        repeatable: true,
        urgency: 'creation',
        breaker: 'creations',
        mustBeUsable: true,
      } as const;
      const read = (answer: HttpAnswer) => usable(chargeIn(txid)(answer), key, charge);
      const put = (body: object) =>
        call({ ...operation, ...how, method: 'PUT' as const, body, read }, timeLeft());
      const get = () => look(chargeQuery(txid), chargeIn(txid), timeLeft());
      return putCharge({ put, get }, key, charge, now);
    },
    getCharge: async (txid) => look(chargeQuery(txid), ({ body }) => readChargeInParts(body, txid, reading)),
    cancelCharge: async (txid) => {
      const operation = { name: 'cancelCharge', at: 'cancelCharge', rest: chargePath(txid) } as const;
      // Not repeated: if the first one took effect, the second is a 400.
      const patch = {
        method: 'PATCH',
        body: { status: REMOVED },
        repeatable: false,
        urgency: 'money',
      } as const;
      return call({ ...operation, ...patch, read: chargeIn(txid) });
    },
    requestRefund: async (endToEndId, refundId, amount) => {
      const operation = { name: 'requestRefund', at: 'pix', rest: refundPath(endToEndId, refundId) } as const;
      const body = { valor: formatAmount(amount) };
      const put = { ...operation, method: 'PUT', body, repeatable: false, urgency: 'money' } as const;
      return call({ ...put, read: refundIn(refundId) });
    },
    getRefund: async (endToEndId, refundId) =>
      look({ name: 'getRefund', at: 'pix', rest: refundPath(endToEndId, refundId) }, refundIn(refundId)),
    getPix: async (endToEndId) =>
      look({ name: 'getPix', at: 'pix', rest: pixPath(endToEndId) }, pixIn(endToEndId)),
    listPix: async (range) => {
      const endsAt = performance.now() + timeoutMs;
      const endsBefore = new Date(now() - profile.listLagSeconds * 1000);
      const rest = pixListQuery(range, {
        pageSize,
        endsBefore: profile.listLagSeconds ? endsBefore : range.to,
      });
      const operation = { name: 'listPix', at: 'listPix', rest, method: 'GET' } as const;
      const list = { ...operation, accepts: profile.nothing, repeatable: true, breaker: 'lists' } as const;
      const read = (answer: HttpAnswer) =>
        isOneOf(profile.nothing, answer) ? emptyPage() : readPage(answer, pageSize);
      const page = await call({ ...list, urgency: 'polling', mustBeUsable: true, read });
      const getPix = (endToEndId: string, timeoutMs: number) =>
        look(listedPixQuery(endToEndId), pixIn(endToEndId), timeoutMs);
      const timeLeft = () => Math.max(0, endsAt - performance.now());
      return profile.listLacksTxid ? withTxids(page, { getPix, timeLeft }) : page;
    },
    getCallback: async () => {
      const query = {
        name: 'getCallback',
        at: 'callback',
        rest: webhookPath(key),
        urgency: 'polling',
      } as const;
      return look(query, readCallbackUrl);
    },
    async registerCallback(url) {
      const operation = { name: 'registerCallback', at: 'callback', rest: webhookPath(key) } as const;
      const put = { ...operation, method: 'PUT', body: { webhookUrl: url }, repeatable: true } as const;
      await call({
        ...put,
        urgency: 'polling',
        read: () => {},
        secrets: [url, url.split('/').filter(Boolean).at(-1) ?? url],
      });
    },
    certificateEnd: () => transport.certificateEnd(),
    bankSide: profile.psp === testBank ? bankSide(call) : null,
    breakers,
    close: () => transport.close(),
  };
  return client;
}

function chargeQuery(txid: string): Query {
  return { name: 'getCharge', at: 'getCharge', rest: chargePath(txid) };
}

/** Reading a listed Pix is part of the list: same priority, same breaker. */
function listedPixQuery(endToEndId: string): Query {
  const listed = { urgency: 'polling', breaker: 'lists', isPart: true } as const;
  return { name: 'getPix', at: 'pix', rest: pixPath(endToEndId), ...listed };
}

const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';
const DAY_MS = 24 * 60 * 60_000;

type Query = Pick<Operation, 'name' | 'at' | 'rest' | 'breaker' | 'isPart'> & {
  urgency?: Operation['urgency'];
};

function readCallbackUrl(answer: HttpAnswer): string | null {
  return textOf(objectIn(answer.body, 'webhook').webhookUrl);
}
