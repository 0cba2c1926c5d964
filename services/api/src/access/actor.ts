import type { Author } from '@payments/database/record/changes';
import type { Role } from '@payments/domain/roles';
import type { FastifyRequest } from 'fastify';

/** The sender of a request: the emergency key `ADMIN_KEY`, a program's key, or a person's account. */
export type Actor = {
  kind: 'admin_key' | 'key' | 'account';
  /** Null for `ADMIN_KEY`. */
  id: string | null;
  /** The name in the record. */
  name: string;
  role: Role;
  /** The store of a store's role; null for a platform's, which sees every store. */
  storeId: string | null;
};

declare module 'fastify' {
  interface FastifyRequest {
    /** The sender. The scope's authentication sets it. */
    actor: Actor;
    /** The face that the request came through. The scope's authentication sets it. */
    via: Author['via'];
  }
}

/** The holder of `ADMIN_KEY`. */
export const holderOfAdminKey: Actor = {
  kind: 'admin_key',
  id: null,
  name: 'ADMIN_KEY',
  role: 'owner',
  storeId: null,
};

const longestBrowser = 200;

/** @returns what the browser or program calls itself, cut; null if it does not say */
export function browserOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return headers['user-agent']?.slice(0, longestBrowser) ?? null;
}

/** @returns what the record keeps of a request: its id, the client's address behind trusted proxies, the browser */
export function originOf(request: FastifyRequest): Pick<Author, 'requestId' | 'address' | 'browser'> {
  return { requestId: request.id, address: request.ip, browser: browserOf(request) };
}

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X|Macintosh/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** @returns a browser in words, for the person whose session it is: `Chrome, Windows` */
export function browserName(userAgent: string | null): string {
  const nameIn = (names: typeof browsers) => names.find(([form]) => form.test(userAgent ?? ''))?.[1];
  const known = [nameIn(browsers), nameIn(systems)].filter(Boolean).join(', ');
  return known || userAgent?.slice(0, 40) || 'Navegador desconhecido';
}
