import type { FastifyRequest } from 'fastify';
import type { Operation } from '../faults.ts';
import type { Problem } from '../problem.ts';

/** A client's request for a token. */
export type TokenRequest = {
  authorization: string | undefined;
  contentType: string;
  fields: Record<string, string>;
  query: Record<string, string>;
};

export type Credentials = { id: string; secret: string; scopes: string[] };

/** The bank's answer when it refuses a token. */
export class TokenRefused extends Error {
  readonly status: number;
  readonly body: object;

  constructor(status: number, body: object) {
    super(`token refused with ${status}`);
    this.status = status;
    this.body = body;
  }
}

export type Rendered = { status: number; type: string; body: string };

/** A registration of the callback, for the bank to check. */
export type Registration = {
  url: string;
  headers: FastifyRequest['headers'];
  /** POSTs a body there. The status, or null where nothing answered. */
  post(body: unknown): Promise<number | null>;
};

// biome-ignore lint/suspicious/noExplicitAny: shapes of answers, which each bank changes its own way
export type Shape = any;

/**
 * One bank's refusals, and its way of answering. They come from sources about the bank, and share nothing with the client's
 * profile.
 */
export type BankRules = {
  /** @returns the standard's path for one of the bank's, null where the bank has nothing; queries are not its business */
  standardPath(method: string, path: string): string | null;
  tokenSeconds: number;
  /** True if it gives its clients a secret. */
  hasSecret: boolean;
  /** @throws TokenRefused */
  readToken(request: TokenRequest): Credentials;
  /** @returns the granted scopes of those requested. @throws TokenRefused */
  grant(asked: string[], allowed: string[]): string[];
  /** Looks at every call but the token's. @throws Problem */
  admit(request: FastifyRequest, own: { clientId: string; account: string | null }): void;
  render(problem: Problem): Rendered;
  /** True if a `null` in a request's body is the same as no field. */
  nullIsAbsent: boolean;
  /** A charge as an operation shows it, from the standard's. */
  showCharge(charge: Shape, operation: Operation): Shape;
  createdStatus: 200 | 201;
  /** A second PUT of a txid. @throws Problem */
  putAgain(): void;
  /** @throws Problem */
  checkRange(query: { inicio: string; fim: string }, now: number): void;
  /** The answer in the place of an empty list; null for an empty list. */
  emptyList: Rendered | null;
  showListed(pix: Shape): Shape;
  /** @throws Problem */
  register(registration: Registration): Promise<void>;
  registeredStatus: 200 | 201 | 204;
  /** The answer's body of a registration; undefined for none. */
  showRegistered(url: string): Shape | undefined;
  /** True if `GET /loc/{id}/qrcode` draws a code: an operation of the bank's own. */
  drawsCodes: boolean;
  /** Where it calls, of what was registered. */
  callbackAddress(url: string): string;
  showReported(pix: Shape): Shape;
  callsPerMinute: number | null;
  tokensPerMinute: number | null;
};
