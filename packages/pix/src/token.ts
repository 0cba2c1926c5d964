import { PixUnavailable } from './errors.ts';
import { isObject, textOf } from './json.ts';
import { SCOPES } from './requests.ts';
import type { HttpAnswer, HttpRequest } from './transport.ts';

type Token = { value: string; renewAt: number; expiresAt: number; certificate: number };

export interface Tokens {
  /** A token that holds for a while yet. One request is in flight however many ask. */
  get(): Promise<string>;
  /** The PSP no longer takes this one (401). */
  discard(value: string): void;
}

export type TokensOptions = {
  url: string;
  clientId: string;
  clientSecret: string;
  now: () => number;
  certificate: () => number;
  /** Throws PixUnavailable and PixRefused. */
  send: (request: HttpRequest) => Promise<HttpAnswer>;
};

const DEFAULT_LIFETIME_SECONDS = 300;
const LONGEST_MARGIN_MS = 60_000;

/**
 * OAuth2 client credentials (RFC 6749 §4.4), the secret in the Authorization header. Renewed in the last tenth
 * of a token's life (at most a minute), and when the client's certificate changes (RFC 8705).
 */
export function createTokens(options: TokensOptions): Tokens {
  let token: Token | undefined;
  let renewal: Promise<string> | undefined;

  const usable = (until: 'renewAt' | 'expiresAt') =>
    token && token.certificate === options.certificate() && options.now() < token[until] ? token.value : null;

  const renew = async () => {
    try {
      const certificate = options.certificate();
      const answer = await options.send(tokenRequest(options));
      token = readToken(answer.body, options.now(), certificate);
      return token.value;
    } catch (error) {
      // Renewal starts before the end, so a token server that is down for a moment stops nothing.
      const last = usable('expiresAt');
      if (last) return last;
      throw error;
    } finally {
      renewal = undefined;
    }
  };

  return {
    async get() {
      const current = usable('renewAt');
      if (current) return current;
      renewal ??= renew();
      return renewal;
    },
    discard(value) {
      if (token?.value === value) token = undefined;
    },
  };
}

function tokenRequest(options: TokensOptions): HttpRequest {
  const credentials = `${encodeURIComponent(options.clientId)}:${encodeURIComponent(options.clientSecret)}`;
  return {
    method: 'POST',
    url: options.url,
    headers: {
      authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams({ grant_type: 'client_credentials', scope: SCOPES }).toString(),
  };
}

function readToken(body: unknown, now: number, certificate: number): Token {
  const value = isObject(body) ? textOf(body.access_token) : null;
  if (!isObject(body) || !value) throw new PixUnavailable('token', 'unreadable', 'access_token');
  const seconds = Number(body.expires_in);
  const lifetime = (seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS) * 1000;
  const margin = Math.min(lifetime / 10, LONGEST_MARGIN_MS);
  return { value, certificate, expiresAt: now + lifetime, renewAt: now + lifetime - margin };
}
