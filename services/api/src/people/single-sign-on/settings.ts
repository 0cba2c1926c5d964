import { isStoreRole, type Role, roles } from '@payments/domain/roles';
import { ConfigurationError } from '@payments/runtime/environment';
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
  if (!issuer || (issuer.protocol !== 'https:' && !loopback.has(issuer.hostname)))
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
    return [entry.slice(0, at).trim(), entry.slice(at + 1).trim()];
  });
}

function platformRole(given: unknown): Role {
  const role = roles.find((one) => one === given);
  if (role && !isStoreRole(role)) return role;
  throw new ConfigurationError(`OIDC_ROLES: "${String(given)}" is no role of the platform`);
}
