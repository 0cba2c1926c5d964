import { ApiError, WaitTimeout } from './errors.ts';
import { type EventsOptions, eachEvent } from './events.ts';
import { pause, send, type Transport } from './request.ts';
import type {
  CreatedPayment,
  CreatePayment,
  EventList,
  FeedEvent,
  FilterStatus,
  Payment,
  PaymentList,
  PaymentStatus,
  Refund,
  RefundRequest,
} from './types.ts';

const largestPage = 200;

/**
 * Yields the whole list. Each read starts after the last payment, so that none is skipped or repeated while payments
 * are created or change.
 * @param read reads what follows a payment, or the list's beginning
 */
export async function* eachPayment(
  read: (from: { after?: string; limit: number }) => Promise<PaymentList>,
): AsyncGenerator<Payment, void, undefined> {
  let items: Payment[] = [];
  do {
    const last = items.at(-1);
    ({ items } = await read({ limit: largestPage, ...(last && { after: last.id }) }));
    yield* items;
  } while (items.length === largestPage);
}

export type ClientOptions = {
  /** The service's address, such as `https://pagamentos.example.com`. */
  baseUrl: string;
  /** The store's token, or a function that returns it at every attempt, so that a new token is used at once. */
  token: string | (() => string | Promise<string>);
  /** Time for one attempt; 15 seconds by default. */
  timeoutMs?: number | undefined;
  /** Retries after a broken connection, a time-out, 408, 429 or 5xx; 3 by default. */
  retries?: number | undefined;
  /** A replacement for the platform's `fetch`. */
  fetch?: typeof globalThis.fetch | undefined;
};

type Call = { signal?: AbortSignal };

type Filter = {
  status?: FilterStatus;
  /** Only payments created then or later, or then or earlier: a date-time with its offset, or a day of São Paulo. */
  from?: string;
  to?: string;
};

export type PaymentsClient = {
  /**
   * Creates a payment. Retries use the same key, so it is created once.
   * @param options.idempotencyKey one per order, kept for 24 hours; by default one for this call
   * @throws ApiError, ConnectionError
   */
  create(payment: CreatePayment, options?: Call & { idempotencyKey?: string }): Promise<CreatedPayment>;
  /** @throws ApiError 404 for a missing payment or another store's; ConnectionError */
  get(id: string, options?: Call): Promise<Payment>;
  /**
   * Reads a page, newest first.
   * @param query.after a payment's id; the page starts after it
   * @throws ApiError, ConnectionError
   */
  list(
    query?: Filter & { page?: number; limit?: number; after?: string; reference?: string },
    options?: Call,
  ): Promise<PaymentList>;
  /**
   * Reads every payment, newest first, 200 at a time.
   * @throws ApiError, ConnectionError
   */
  each(query?: Filter, options?: Call): AsyncGenerator<Payment, void, undefined>;
  /**
   * Reads a payment until it is paid, refused or expired.
   * @throws WaitTimeout, ApiError, ConnectionError
   */
  waitFor(id: string, options?: WaitOptions): Promise<Payment>;
  /**
   * Orders a refund, where the store allows it to its token. Retries use the same key, so it is ordered once.
   * @param options.idempotencyKey one per refund; by default one for this call
   * @throws ApiError 403 `operationNotEnabled`, 409 `notRefundable`, `refundTooLate`, `refundTooHigh`,
   * `refundLimitReached`; ConnectionError
   */
  refund(id: string, refund?: RefundRequest, options?: Call & { idempotencyKey?: string }): Promise<Refund>;
  /** Reads a payment's refunds, newest first, the bank's too. @throws ApiError, ConnectionError */
  refunds(id: string, options?: Call): Promise<Refund[]>;
  /**
   * Cancels a pending payment, where the store allows it to its token.
   * @throws ApiError 403 `operationNotEnabled`, 409 `notCancellable`; ConnectionError
   */
  cancel(id: string, options?: Call): Promise<Payment>;
  /**
   * Follows the store's feed: every event, oldest first, each once. It goes on until you break, or the signal aborts.
   * @throws ApiError, ConnectionError
   */
  events(options?: EventsOptions): AsyncGenerator<FeedEvent, void, undefined>;
};

const path = '/api-public/payments';

/** @returns a client of the service for one store */
export function createClient(options: ClientOptions): PaymentsClient {
  const { baseUrl, token, timeoutMs = 15_000, retries = 3, fetch = globalThis.fetch } = options;
  const transport: Transport = { baseUrl, token, timeoutMs, retries, fetch };
  const at = (id: string, part = '') => `${path}/${encodeURIComponent(id)}${part}`;
  const get = (id: string, { signal }: Call = {}) =>
    send<Payment>(transport, { method: 'GET', path: at(id), signal });
  const list: PaymentsClient['list'] = (query = {}, { signal } = {}) =>
    send(transport, { method: 'GET', path: withQuery(path, query), signal });
  const readEvents = (signal: AbortSignal | undefined) => (query: object) =>
    send<EventList>(transport, { method: 'GET', path: withQuery('/api-public/events', query), signal });
  return {
    get,
    list,
    create: (body, { idempotencyKey = crypto.randomUUID(), signal } = {}) =>
      send(transport, { method: 'POST', path, body, headers: { 'idempotency-key': idempotencyKey }, signal }),
    each: (query, call) => eachPayment((from) => list({ ...query, ...from }, call)),
    waitFor: (id, wanted = {}) => wait(() => get(id, wanted.signal ? { signal: wanted.signal } : {}), wanted),
    refund: (id, body = {}, { idempotencyKey = crypto.randomUUID(), signal } = {}) => {
      const headers = { 'idempotency-key': idempotencyKey };
      return send(transport, { method: 'POST', path: at(id, '/refunds'), body, headers, signal });
    },
    refunds: async (id, { signal } = {}) => {
      const read = { method: 'GET', path: at(id, '/refunds'), signal } as const;
      return (await send<{ items: Refund[] }>(transport, read)).items;
    },
    cancel: (id, call = {}) => {
      const doneBefore = async (error: unknown) => {
        if (!(error instanceof ApiError && error.code === 'notCancellable')) return undefined;
        const payment = await get(id, call);
        return payment.status === 'not_approved' ? payment : undefined;
      };
      return send(transport, { method: 'POST', path: at(id, '/cancel'), ...call, doneBefore });
    },
    events: (options = {}) => eachEvent(readEvents(options.signal), options),
  };
}

function withQuery(path: string, query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `${path}?${search}` : path;
}

export type WaitOptions = {
  /** Which status ends the wait; by default a final one (see `isFinal`). */
  until?: (status: PaymentStatus) => boolean;
  /** 10 minutes by default. */
  timeoutMs?: number;
  /** 2 seconds by default; after a minute it grows to five times as much. */
  intervalMs?: number;
  signal?: AbortSignal;
};

/**
 * @returns whether a payment waits neither for the customer nor for a review. A Pix that the bank reports late may still
 * move one that is `not_approved`
 */
export function isFinal(status: PaymentStatus): boolean {
  return status !== 'pending' && status !== 'review';
}

/**
 * Polls a payment.
 * @throws WaitTimeout with the last read payment; the errors of reading
 */
export async function wait(read: () => Promise<Payment>, options: WaitOptions): Promise<Payment> {
  const { until = isFinal, timeoutMs = 600_000, intervalMs = 2_000, signal } = options;
  const begun = Date.now();
  for (;;) {
    const payment = await read();
    if (until(payment.status)) return payment;
    const elapsed = Date.now() - begun;
    if (elapsed >= timeoutMs) {
      throw new WaitTimeout(`the payment is still ${payment.status} after ${timeoutMs} ms`, payment);
    }
    const patience = Math.min(5, 1 + Math.floor(elapsed / 60_000));
    await pause(Math.min(intervalMs * patience, timeoutMs - elapsed), signal);
  }
}
