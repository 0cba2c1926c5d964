import { platformRoles, type Role } from '@payments/domain/roles';
import type { SingleSignOn } from './settings.ts';

/** What the issuer says of a person. */
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
    email: isVerified === true ? textOf(email) : undefined,
    role: platformRoles.find((role) => given.includes(role)),
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  return value.toWellFormed().replaceAll('\0', '').trim().slice(0, longestName) || undefined;
}
