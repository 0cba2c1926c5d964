import { PixRefused, PixUnavailable } from './errors.ts';
import { isObject, textOf } from './json.ts';
import type { Urgency } from './pacer.ts';
import type { Profile } from './profiles/profile.ts';
import { createTokenRepairs } from './token-repairs.ts';
import type { HttpAnswer, HttpRequest } from './transport.ts';

type Token = { value: string; renewAt: number; expiresAt: number; certificate: number };

export interface Tokens {
  /** A token that is valid for a while. All callers share one request for it. */
  get(): Promise<string>;
  /** Notes that the PSP carried an operation out. A later 401 for it is a dead token. */
  served(operation: string): void;
  /**
   * After the PSP responded with 401 to an operation with this token.
   * @returns another token; null if none would help
   * @throws PixUnavailable `tokens-used-up` while this minute's tokens allow no other
   */
  replace(refused: string, operation: { name: string; urgency: Urgency }): Promise<string | null>;
}

export type TokensOptions = {
  url: string;
  clientId: string;
  clientSecret: string;
  profile: Pick<Profile, 'credentials' | 'tokenFormat' | 'grantIn' | 'scopes'>;
  now: () => number;
  certificate: () => number;
  /** Throws PixUnavailable and PixRefused. */
  send: (request: HttpRequest) => Promise<HttpAnswer>;
};

const DEFAULT_LIFETIME_SECONDS = 300;
const LONGEST_MARGIN_MS = 60_000;
// Inter allows five token calls a minute; Sicredi blocks an address that asks too often.
const PAUSE_AFTER_FAILURE_MS = 15_000;

/**
 * OAuth2 client credentials (RFC 6749 §4.4). A token is renewed in the last tenth of its life (at most a minute), and when
 * the client's certificate changes (RFC 8705). Callers go on with the old one meanwhile, so an outage of the token server,
 * also one that says nothing, stops nothing while it is valid. For a while after a refusal all callers get that refusal.
 */
export function createTokens(options: TokensOptions): Tokens {
  let token: Token | undefined;
  let renewal: Promise<string> | undefined;
  let failure: { error: unknown; until: number; certificate: number } | undefined;
  const repairs = createTokenRepairs(options.now);

  const usable = (until: 'renewAt' | 'expiresAt') =>
    token && token.certificate === options.certificate() && options.now() < token[until] ? token.value : null;

  const renew = async () => {
    try {
      const certificate = options.certificate();
      repairs.tokenAsked();
      const answer = await options.send(tokenRequest(options));
      token = readToken(answer.body, options.now(), certificate);
      failure = undefined;
      return token.value;
    } catch (error) {
      const until = options.now() + PAUSE_AFTER_FAILURE_MS;
      failure = { error, until, certificate: options.certificate() };
      throw error;
    } finally {
      renewal = undefined;
    }
  };

  const get = async (): Promise<string> => {
    const current = usable('renewAt');
    if (current) return current;
    const last = usable('expiresAt');
    const failedLately =
      failure && options.now() < failure.until && failure.certificate === options.certificate();
    if (failedLately && last) return last;
    if (failedLately && isRefusal(failure?.error)) throw failure?.error;
    renewal ??= renew();
    // Where nobody waits for it, its failure must not end the process.
    renewal.catch(() => {});
    return last ?? renewal;
  };

  return {
    get,
    served: (operation) => repairs.served(operation),
    replace: async (refused, operation) => {
      // Another call may have replaced it already.
      if (token?.value === refused) {
        const repair = repairs.after401(operation);
        if (repair === 'refused') return null;
        if (repair === 'wait') throw new PixUnavailable(operation.name, 'tokens-used-up');
        token = undefined;
      }
      const other = await get();
      // Some banks give the same token again.
      return other === refused ? null : other;
    },
  };
}

function isRefusal(error: unknown): boolean {
  return error instanceof PixRefused || (error instanceof PixUnavailable && error.status === 429);
}

export type TokenAsked = Pick<TokensOptions, 'url' | 'clientId' | 'clientSecret' | 'profile'>;

/** @returns the request for a token as the bank wants it */
export function tokenRequest({ url, clientId, clientSecret, profile }: TokenAsked): HttpRequest {
  const { credentials, tokenFormat, grantIn, scopes } = profile;
  const grant = { grant_type: 'client_credentials' };
  const fields: Record<string, string> = {
    ...(grantIn === 'body' && grant),
    ...(credentials === 'body' && { client_id: clientId }),
    ...(credentials === 'body' && clientSecret && { client_secret: clientSecret }),
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
  };
  const address = new URL(url);
  if (grantIn === 'query') address.searchParams.set('grant_type', grant.grant_type);
  const isJson = tokenFormat === 'json';
  return {
    method: 'POST',
    origin: address.origin,
    path: address.pathname + address.search,
    headers: {
      ...(credentials !== 'body' && { authorization: basic(clientId, clientSecret, credentials) }),
      'content-type': isJson ? 'application/json' : 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: isJson ? JSON.stringify(fields) : new URLSearchParams(fields).toString(),
  };
}

/** Banks expect id and secret unencoded, although RFC 6749 §2.3.1 has them percent-encoded. */
function basic(id: string, secret: string, form: 'basic' | 'basic-encoded'): string {
  const parts = form === 'basic' ? [id, secret] : [id, secret].map(encodeURIComponent);
  return `Basic ${Buffer.from(parts.join(':')).toString('base64')}`;
}

function readToken(body: unknown, now: number, certificate: number): Token {
  const value = isObject(body) ? textOf(body.access_token) : null;
  if (!isObject(body) || !value) throw new PixUnavailable('token', 'unreadable', 'access_token');
  const seconds = Number(body.expires_in);
  const lifetime = (seconds > 0 ? seconds : DEFAULT_LIFETIME_SECONDS) * 1000;
  const margin = Math.min(lifetime / 10, LONGEST_MARGIN_MS);
  return { value, certificate, expiresAt: now + lifetime, renewAt: now + lifetime - margin };
}
