import { isStoreRole, platformRoles, type Role, roles } from '@payments/domain/roles';
import { ConfigurationError } from '@payments/runtime/environment';
import type { Configuration } from 'openid-client';
import type { ApiSettings } from '../../settings.ts';

/** A company's single sign-on. */
export type SingleSignOn = {
  issuer: URL;
  clientId: string;
  clientSecret: string;
  scope: string;
  /** The claim that lists a person's groups. */
  roleClaim: string;
  /** The platform's role of each group. */
  roles: ReadonlyMap<string, Role>;
};

type Settings = Pick<
  ApiSettings,
  'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_SCOPE' | 'OIDC_ROLE_CLAIM' | 'OIDC_ROLES'
>;

const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * @returns the single sign-on, or undefined without `OIDC_ISSUER`
 * @throws ConfigurationError with the wrong variable's name
 */
export function singleSignOnOf(settings: Settings): SingleSignOn | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = settings;
  if (OIDC_ISSUER === undefined) return undefined;
  if (!clientId) throw new ConfigurationError('OIDC_CLIENT_ID is missing: OIDC_ISSUER needs it');
  if (!clientSecret) throw new ConfigurationError('OIDC_CLIENT_SECRET is missing: OIDC_ISSUER needs it');
  const issuer = URL.parse(OIDC_ISSUER);
  // Without TLS, anyone on the way could change the issuer's answers and sign in as anyone.
  const isPlain = issuer?.protocol === 'http:' && loopback.has(issuer.hostname);
  if (!issuer || (issuer.protocol !== 'https:' && !isPlain))
    throw new ConfigurationError('OIDC_ISSUER must be an https URL, except on this machine');
  const { OIDC_SCOPE: scope, OIDC_ROLE_CLAIM: roleClaim } = settings;
  return { issuer, clientId, clientSecret, scope, roleClaim, roles: rolesOf(settings.OIDC_ROLES ?? '') };
}

/** Reads `{"group": "role"}`, or `group=role,group=role`. */
function rolesOf(text: string): Map<string, Role> {
  const pairs = text.trimStart().startsWith('{') ? jsonPairs(text) : textPairs(text);
  return new Map(pairs.map(([group, role]) => [group, platformRole(role)]));
}

function jsonPairs(text: string): [string, unknown][] {
  try {
    return Object.entries(JSON.parse(text) as object);
  } catch {
    throw new ConfigurationError('OIDC_ROLES is no valid JSON');
  }
}

function textPairs(text: string): [string, unknown][] {
  const entries = text.split(',').filter((entry) => entry.trim() !== '');
  return entries.map((entry) => {
    const at = entry.lastIndexOf('=');
    if (entry.slice(0, Math.max(at, 0)).trim() === '')
      throw new ConfigurationError(`OIDC_ROLES: "${entry.trim()}" is not group=role`);
    return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  });
}

function platformRole(given: unknown): Role {
  const role = roles.find((one) => one === given);
  if (role && !isStoreRole(role)) return role;
  throw new ConfigurationError(`OIDC_ROLES: "${String(given)}" is no role of the platform`);
}

// Loaded at first use: a start should not wait for it.
const library = () => import('openid-client');

/** Proves that an answer of the issuer belongs to the browser that asked (RFC 7636, OpenID Connect Core §3.1.2.1). */
export type Proof = { state: string; nonce: string; verifier: string };

export type SingleSignOnClient = {
  /**
   * @param again whether the person must sign in anew, whatever session they have at the issuer
   * @returns the issuer's address to send the browser to
   */
  begin(redirectUri: string, again?: boolean): Promise<{ url: URL; proof: Proof }>;
  /**
   * @param answer our own address, as the issuer called it
   * @param again whether the issuer must say that the person has just signed in
   * @throws if the answer is forged, has expired, or the issuer can't be asked
   */
  finish(answer: URL, proof: Proof, again?: boolean): Promise<Claims>;
};

const timeoutSeconds = 5;

// The issuer then says when the person signed in, in `auth_time` (OpenID Connect Core §3.1.2.1), which is judged.
const anewSeconds = 60;

/** Speaks the authorization code flow with PKCE, state and nonce. */
export function singleSignOnClient(settings: SingleSignOn): SingleSignOnClient {
  let discovered: Promise<Configuration> | undefined;
  const configuration = () => {
    discovered ??= discover(settings).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  return {
    begin: async (redirectUri, again = false) => {
      const client = await library();
      const verifier = client.randomPKCECodeVerifier();
      const proof = { state: client.randomState(), nonce: client.randomNonce(), verifier };
      const url = client.buildAuthorizationUrl(await configuration(), {
        redirect_uri: redirectUri,
        scope: settings.scope,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state: proof.state,
        nonce: proof.nonce,
        ...(again && { prompt: 'login', max_age: String(anewSeconds) }),
      });
      return { url, proof };
    },
    finish: async (answer, { state, nonce, verifier }, again = false) => {
      const client = await library();
      const config = await configuration();
      const tokens = await client.authorizationCodeGrant(config, answer, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
        ...(again && { maxAge: anewSeconds }),
      });
      const claims = tokens.claims()!;
      // Many issuers say e-mail and groups only here.
      if (!config.serverMetadata().userinfo_endpoint) return { ...claims };
      const more = await client.fetchUserInfo(config, tokens.access_token, claims.sub);
      return { ...more, ...claims };
    },
  };
}

async function discover({ issuer, clientId, clientSecret }: SingleSignOn): Promise<Configuration> {
  const client = await library();
  const execute = issuer.protocol === 'http:' ? [client.allowInsecureRequests] : [];
  const options = { execute, timeout: timeoutSeconds };
  return client.discovery(issuer, clientId, clientSecret, undefined, options);
}

/** The issuer's words about a person. */
export type Claims = Record<string, unknown> & { sub: string };

export type SignedOnPerson = {
  issuer: string;
  subject: string;
  name: string;
  /** Undefined unless the issuer has verified it. */
  email: string | undefined;
  /** The strongest role that a group gives. */
  role: Role | undefined;
};

const longestName = 100;
const longestEmail = 254;

/** @returns the person of these claims */
export function personOf(
  claims: Claims,
  { issuer, roleClaim, roles }: Pick<SingleSignOn, 'issuer' | 'roleClaim' | 'roles'>,
): SignedOnPerson {
  const { sub: subject, email, email_verified: isVerified, name } = claims;
  const groups = [claims[roleClaim] ?? []].flat();
  const given = groups.map((group) => roles.get(String(group)));
  return {
    issuer: issuer.href,
    subject,
    // The record shows the name, and no e-mail.
    name: textOf(name) ?? textOf(email)?.split('@')[0] ?? subject.slice(0, longestName),
    email: isVerified === true ? emailOf(email) : undefined,
    role: platformRoles.find((role) => given.includes(role)),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.toWellFormed().replaceAll('\0', '').trim().slice(0, longestName) || undefined;
}

/** An address is taken whole or not at all: a part of it may be somebody else's. */
function emailOf(value: unknown): string | undefined {
  const email = typeof value === 'string' ? value.trim() : '';
  const isWhole = email.isWellFormed() && !email.includes('\0') && email.length <= longestEmail;
  return isWhole ? email || undefined : undefined;
}
