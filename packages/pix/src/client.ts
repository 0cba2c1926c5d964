import { formatAmount } from './amount.ts';
import { listOf, objectIn, readCharge, readPix, readRefund, UnreadableAnswer } from './answers.ts';
import type { Operation } from './call.ts';
import { connect } from './connect.ts';
import { PixUnavailable } from './errors.ts';
import { isObject, textOf } from './json.ts';
import {
  chargeBody,
  chargePath,
  type NewCharge,
  type PixRange,
  pixListPath,
  pixPath,
  refundPath,
  webhookPath,
} from './requests.ts';
import type { HttpAnswer } from './transport.ts';
import type { BreakerState, Charge, PixClientOptions, ReceivedPix, Refund } from './types.ts';

export type * from './types.ts';

/**
 * The API Pix of one PSP (API Pix 2.9). Amounts are centavos. Every operation ends within `timeoutMs` and may
 * throw PixUnavailable or PixRefused (`@payments/pix/errors`), and a RangeError for an argument that the API
 * Pix does not allow, before anything is sent.
 */
export interface PixClient {
  readonly key: string;
  /** Creates the charge, or sets it again on an active one: repeating it is safe, since the txid is ours. */
  putCharge(txid: string, charge: NewCharge): Promise<Charge>;
  /** Null when the PSP does not know it. */
  getCharge(txid: string): Promise<Charge | null>;
  /** Removes an active charge. A charge that is not active any more is a PixRefused (400). */
  cancelCharge(txid: string): Promise<Charge>;
  /** Never repeated by itself: after a PixUnavailable, look with `getRefund` before asking again. */
  requestRefund(endToEndId: string, refundId: string, amount: number): Promise<Refund>;
  getRefund(endToEndId: string, refundId: string): Promise<Refund | null>;
  /** One Pix that arrived; null when the PSP does not know it. */
  getPix(endToEndId: string): Promise<ReceivedPix | null>;
  /** `unreadable` counts entries that had to be left out. */
  listPix(range: PixRange): Promise<PixPage>;
  /** Where the PSP reports Pix for our key; null when nowhere. */
  getCallback(): Promise<string | null>;
  registerCallback(url: string): Promise<void>;
  /** Of charges and refunds; lists have a breaker of their own. */
  breakerState(): BreakerState;
  /** Lets calls in flight end, then closes the connections. */
  close(): Promise<void>;
}

export type PixPage = { pix: ReceivedPix[]; pages: number; unreadable: number };

/** Throws at once when `url` is none, or the files of `tls` can't be read or don't fit together. */
export function createPixClient(options: PixClientOptions): PixClient {
  const { key } = options;
  const merchant = { name: options.merchantName ?? '', city: options.merchantCity ?? '' };
  const { call, breakers, transport } = connect(options);

  /** Runs an operation and reads its answer; an answer that can't be read is no answer. */
  const ask = async <T>(operation: Operation, read: (answer: HttpAnswer) => T): Promise<T> => {
    const answer = await call(operation);
    try {
      return read(answer);
    } catch (error) {
      if (!(error instanceof UnreadableAnswer)) throw error;
      throw new PixUnavailable(operation.name, 'unreadable', error.message, answer.status);
    }
  };
  const orNull =
    <T>(read: (answer: HttpAnswer) => T) =>
    (answer: HttpAnswer) =>
      answer.status === 404 ? null : read(answer);
  const chargeIn = (txid: string) => (answer: HttpAnswer) => readCharge(answer.body, txid, merchant);
  const refundIn = (answer: HttpAnswer) => readRefund(answer.body);

  return {
    key,
    putCharge: async (txid, charge) =>
      ask(write('putCharge', 'PUT', chargePath(txid), chargeBody(key, charge), true), chargeIn(txid)),
    getCharge: async (txid) => ask(query('getCharge', chargePath(txid)), orNull(chargeIn(txid))),
    cancelCharge: async (txid) =>
      // Not repeated: when the first one took effect, the second is a 400.
      ask(write('cancelCharge', 'PATCH', chargePath(txid), { status: REMOVED }, false), chargeIn(txid)),
    requestRefund: async (endToEndId, refundId, amount) => {
      const body = { valor: formatAmount(amount) };
      return ask(write('requestRefund', 'PUT', refundPath(endToEndId, refundId), body, false), refundIn);
    },
    getRefund: async (endToEndId, refundId) =>
      ask(query('getRefund', refundPath(endToEndId, refundId)), orNull(refundIn)),
    getPix: async (endToEndId) =>
      ask(
        query('getPix', pixPath(endToEndId)),
        orNull((answer) => readPix(answer.body)),
      ),
    listPix: async (range) => ask(list('listPix', pixListPath(range)), readPage),
    getCallback: async () => ask(query('getCallback', webhookPath(key)), orNull(readCallbackUrl)),
    async registerCallback(url) {
      const operation = write('registerCallback', 'PUT', webhookPath(key), { webhookUrl: url }, true);
      await call({ ...operation, secrets: [url] });
    },
    breakerState: () => breakers.others.state(),
    close: () => transport.close(),
  };
}

const REMOVED = 'REMOVIDA_PELO_USUARIO_RECEBEDOR';

function query(name: string, path: string): Operation {
  return { name, method: 'GET', path, repeatable: true, mayBeMissing: true };
}

function list(name: string, path: string): Operation {
  return { name, method: 'GET', path, repeatable: true, isList: true };
}

function write(
  name: string,
  method: 'PUT' | 'PATCH',
  path: string,
  body: unknown,
  repeatable: boolean,
): Operation {
  return { name, method, path, body, repeatable };
}

function readPage(answer: HttpAnswer): PixPage {
  const body = objectIn(answer.body, 'pix');
  const page: PixPage = { pix: [], pages: pagesIn(body.parametros), unreadable: 0 };
  for (const entry of listOf(body.pix)) {
    try {
      page.pix.push(readPix(entry));
    } catch {
      page.unreadable += 1;
    }
  }
  return page;
}

function pagesIn(parameters: unknown): number {
  const paging = isObject(parameters) && isObject(parameters.paginacao) ? parameters.paginacao : {};
  const pages = Number(paging.quantidadeDePaginas);
  return Number.isInteger(pages) && pages > 0 ? pages : 1;
}

function readCallbackUrl(answer: HttpAnswer): string | null {
  return textOf(objectIn(answer.body, 'webhook').webhookUrl);
}
