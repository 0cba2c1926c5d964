import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import type { FastifyRequest } from 'fastify';
import type { BankRules, Credentials } from './banks/rules.ts';
import type { Faults } from './faults.ts';
import { Problem } from './problem.ts';

type Grant = { client: string; scopes: Set<string>; expiresAt: number; certificate: string | null };
export type Issued = { access_token: string; token_type: 'Bearer'; expires_in: number; scope: string };

/** The right to call the API Pix: OAuth2 client credentials, tokens bound to the client's certificate (RFC 8705). */
export interface Access {
  /** Null when the credentials are wrong. @throws TokenRefused for scopes */
  issue(credentials: Credentials, certificate: string | null): Issued | null;
  /** Throws Problem: 401 without a good token, 403 without the scope. */
  check(request: FastifyRequest, scope: string): void;
  /** Forgets every token, as a bank does that restarts. */
  revokeAll(): void;
}

export type AccessOptions = {
  clientId?: string;
  clientSecret?: string;
  tokenSeconds?: number;
  /** The scopes of the application; all without it. */
  scopes?: string[];
};

export const ALL_SCOPES = [
  'cob.write',
  'cob.read',
  'pix.write',
  'pix.read',
  'webhook.write',
  'webhook.read',
  'payloadlocation.write',
  'payloadlocation.read',
];

/** Without `clientId` and `clientSecret` any credentials will do. */
export function createAccess(
  options: AccessOptions,
  rules: Pick<BankRules, 'grant' | 'tokenSeconds' | 'hasSecret'>,
  faults: Pick<Faults, 'oneTokenPerClient'>,
  now: () => number,
): Access {
  const grants = new Map<string, Grant>();
  const lifetime = options.tokenSeconds ?? rules.tokenSeconds;
  const endTokensOf = (client: string) => {
    for (const [token, grant] of grants) if (grant.client === client) grants.delete(token);
  };
  return {
    issue(credentials, certificate) {
      if (!isKnown(credentials, rules.hasSecret ? options : { ...options, clientSecret: undefined }))
        return null;
      const scopes = rules.grant(credentials.scopes, options.scopes ?? ALL_SCOPES);
      const token = randomBytes(24).toString('base64url');
      const { id: client } = credentials;
      if (faults.oneTokenPerClient) endTokensOf(client);
      grants.set(token, { client, scopes: new Set(scopes), expiresAt: now() + lifetime * 1000, certificate });
      return { access_token: token, token_type: 'Bearer', expires_in: lifetime, scope: scopes.join(' ') };
    },
    check(request, scope) {
      const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const grant = grants.get(token);
      if (!grant || grant.expiresAt <= now() || grant.certificate !== certificateOf(request)) {
        throw new Problem(401, 'AcessoNegado', 'O token não existe, expirou ou é de outro certificado.');
      }
      if (!grant.scopes.has(scope)) throw new Problem(403, 'AcessoNegado', `Falta o escopo ${scope}.`);
    },
    revokeAll: () => grants.clear(),
  };
}

type Known = { clientId?: string | undefined; clientSecret?: string | undefined };

/** As they are, which is what clients send, or percent-encoded, which is what RFC 6749 §2.3.1 says. */
function isKnown({ id, secret }: Credentials, { clientId, clientSecret }: Known): boolean {
  // Where an id holds a colon, the header does not say where it ends.
  const isThis = (one: string, other: string) =>
    clientId !== undefined && clientSecret !== undefined
      ? same(`${one}:${other}`, `${clientId}:${clientSecret}`)
      : same(one, clientId) && same(other, clientSecret);
  return isThis(id, secret) || isThis(percentDecoded(id), percentDecoded(secret));
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}

/** SHA-256 of the client's certificate; null without mTLS. */
export function certificateOf(request: FastifyRequest): string | null {
  const socket = request.raw.socket as Partial<TLSSocket>;
  return socket.getPeerCertificate?.()?.fingerprint256 ?? null;
}

function same(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return true;
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
