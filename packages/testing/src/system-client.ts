import { randomUUID } from 'node:crypto';
import type { IncludedView } from '@payments/domain/payment';
import type { RefundView } from '@payments/domain/refunds';
import type { BankCharge, CreatedPayment, Endpoint, List, Paid, Payment, PaymentDetail } from './answers.ts';
import { call, type HttpAnswer, type HttpCall, type Json } from './http.ts';
import { eventually } from './patience.ts';
import { adminKey } from './service-settings.ts';

export type TestStore = { id: string; token: string };

export type SystemUrls = { url: string; adminUrl: string; bankUrl: string };

/** A refusal by the bank (RFC 7807). */
type Problem = { type: string; title: string; status: number; detail: string };

type Refusal = { statusCode: number; message: string };

type Payments = '/api-public/payments';

/**
 * The body of a response to a store, by its path. It has the fields of each response that the path gives: those of a
 * creation, a page and a refusal. A test says first which one it expects, by the status. Pages and documents are any.
 */
export type PublicBody<Path extends string> = string extends Path
  ? Json
  : Path extends Payments | `${Payments}?${string}`
    ? CreatedPayment & List<Payment> & Refusal
    : Path extends `${Payments}/${string}/refunds` | `${Payments}/${string}/refunds?${string}`
      ? RefundView & { items: RefundView[] } & Refusal
      : Path extends `${Payments}/${string}/${string}`
        ? Json
        : Path extends `${Payments}/${string}?include=${string}`
          ? Payment & IncludedView & Refusal
          : Path extends `${Payments}/${string}`
            ? Payment & Refusal
            : Json;

/** The body of a response to an administrator, by its path. */
export type AdminBody<Path extends string> = string extends Path
  ? Json
  : Path extends '/admin/endpoints'
    ? List<Endpoint> & Refusal
    : Path extends `/admin/payments/${string}/${string}` | `/admin/payments/${string}?${string}`
      ? Json
      : Path extends `/admin/payments/${string}`
        ? PaymentDetail & Refusal
        : Json;

/** The body of the bank's response, by its path. */
export type BankBody<Path extends string> = string extends Path
  ? Json
  : Path extends '/bank/pay'
    ? Paid & Problem
    : Path extends `/bank/charges/${string}`
      ? BankCharge
      : Json;

/** Calls each side of a running system. */
export type SystemClient = {
  api<const Path extends string>(path: Path, request?: HttpCall): Promise<HttpAnswer<PublicBody<Path>>>;
  admin<const Path extends string>(path: Path, request?: HttpCall): Promise<HttpAnswer<AdminBody<Path>>>;
  bank<const Path extends string>(path: Path, body?: unknown): Promise<HttpAnswer<BankBody<Path>>>;
  /** Creates a store with a token. */
  createStore(fields?: Record<string, unknown>): Promise<TestStore>;
};

export function systemClient({ url, adminUrl, bankUrl }: SystemUrls, key = adminKey): SystemClient {
  const admin: SystemClient['admin'] = (path, request = {}) =>
    call(adminUrl + path, { token: key, ...request });
  return {
    api: (path, request) => call(url + path, request),
    admin,
    bank: (path, body) => call(bankUrl + path, body === undefined ? {} : { body }),
    createStore: async (fields = {}) => {
      const { body: store } = await admin('/admin/stores', { body: { name: 'Loja', ...fields } });
      const { body: token } = await admin(`/admin/stores/${store.id}/tokens`, { body: {} });
      return { id: store.id, token: token.token };
    },
  };
}

/**
 * Creates a payment as a store, for a test of what comes after. A busy machine may turn the creation away (503): then it
 * asks again, with the same key.
 * @throws an error for any other refusal
 */
export async function createPayment(
  api: SystemClient['api'],
  token: string,
  body: Record<string, unknown>,
): Promise<CreatedPayment> {
  const request = { token, body, headers: { 'idempotency-key': randomUUID() } };
  const answer = await eventually('a payment to be created', async () => {
    const given = await api('/api-public/payments', request);
    return given.status === 503 ? undefined : given;
  });
  if (answer.status !== 200) throw new Error(`the payment was refused: ${answer.text}`);
  return answer.body;
}

/** Reads a payment as an administrator. A busy machine may turn the reading away (503): then it asks again. */
export function readDetail(
  { admin }: Pick<SystemClient, 'admin'>,
  id: string,
): Promise<HttpAnswer<PaymentDetail & Refusal>> {
  return eventually(`payment ${id} to be read`, async () => {
    const answer = await admin(`/admin/payments/${id}`);
    return answer.status === 503 ? undefined : answer;
  });
}
