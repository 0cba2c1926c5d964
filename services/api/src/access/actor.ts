import type { Queryable } from '@payments/database/connection';
import { findDelivery } from '@payments/database/deliveries/list';
import { findPayment } from '@payments/database/payments/payments';
import type { Author } from '@payments/database/record/changes';
import type { KindFilter } from '@payments/database/stores/kinds';
import { findStore, type Store } from '@payments/database/stores/stores';
import { isId } from '@payments/domain/identifiers';
import { withoutEmails } from '@payments/domain/personal-data';
import type { Role } from '@payments/domain/roles';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Shape } from '../administration/shapes.ts';
import { rules, wrongField } from '../http/errors/api-error.ts';
import { errors } from '../http/errors/errors.ts';
import { readId, readText } from '../http/readers.ts';

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
  /** In the panel: whether that is a test store. */
  isOfTests?: boolean;
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

// The author of a change, and the reason that is recorded with it.

/** The reason for a change, in a request body. */
export const reasonField = Shape.optional(
  Type.String({ maxLength: 2_000 }),
  'Reason, recorded with the change.',
);
export const ReasonBody = Type.Object(
  { reason: reasonField },
  { $id: 'Reason', description: 'The reason for a change.' },
);

/** Makes a route's body optional, which an object schema cannot express. */
export async function optionalBody(request: { body: unknown }): Promise<void> {
  request.body ??= {};
}

type Reason = { reason?: string | null | undefined };

/**
 * @returns the author of a change: whose key or session it is, through which face, and the reason
 * @throws ApiError 400 for a reason that the database can't store
 */
export function authorOf(request: FastifyRequest, { reason }: Reason = {}): Author {
  return authorAs(request, request.actor, typeof reason === 'string' ? readText('reason', reason) : null);
}

export type Person = { id: string | null; name: string | null };

/** @returns the author of what a person does who is not signed in yet; no name if anybody may have done it */
export function authorAs(
  request: FastifyRequest,
  { id, name }: Person,
  reason: string | null = null,
): Author {
  const recorded = reason === null ? null : withoutEmails(reason);
  return { name, id, via: request.via, reason: recorded, ...originOf(request) };
}

// The scope of an actor. A store's roles see what is their store's. Another store's payment, delivery or store looks like
// one that does not exist, also in filters (Contract: other stores).

type Scope = Pick<Actor, 'storeId'>;

// No row has this id. Using it gives the caller the ordinary 404, after other validation.
const noId = '00000000-0000-0000-0000-000000000000';

/** @returns the store that a list's filter selects: the given one or all; for a store's role its own, or `noId` */
export function storeFilter({ storeId: own }: Scope, given?: string): { storeId?: string } {
  if (own === null) return given === undefined ? {} : { storeId: given };
  return { storeId: given === undefined || given === own ? own : noId };
}

/**
 * Reads the store of a list's filter, and whether it is of test stores.
 * @throws ApiError 400 for an id that is no UUID, and a wrong `test`
 */
export function readStoreFilter(scope: Scope, query: Record<string, unknown>) {
  const { storeId } = query;
  const store = storeFilter(scope, storeId === undefined ? undefined : readId('storeId', storeId));
  return { ...store, ...readKind(scope, query) };
}

/**
 * Reads whether a list or sum is of test stores: only if it is asked for. A store's own people see what is theirs
 * (Contract: test stores).
 * @throws ApiError 400 unless `test` is `true` or `false`
 */
export function readKind({ storeId: own }: Scope, query: unknown): KindFilter {
  const { test } = query as { test?: unknown };
  if (test === undefined) return own === null ? { test: false } : {};
  if (test !== 'true' && test !== 'false') throw wrongField('test', rules.boolean);
  return { test: test === 'true' };
}

/** @returns what a page without a choice of stores shows: the actor's own store, or the stores of the kind */
export function ownFilter(scope: Scope, query: unknown) {
  return { ...storeFilter(scope), ...readKind(scope, query) };
}

/** @returns the store's id, or `noId` if it is malformed or belongs to another store */
export function ownStore({ storeId: own }: Scope, given: string): string {
  const id = given.toLowerCase();
  return isId(id) && (own === null || own === id) ? id : noId;
}

/** @throws ApiError 404 for an unknown store, and for another than the actor's own */
export async function storeOr404({ db }: { db: Queryable }, scope: Scope, id: string): Promise<Store> {
  const store = await findStore(db, ownStore(scope, id));
  if (!store) throw errors.storeNotFound();
  return store;
}

/** @returns the payment's id, or `noId` if it is malformed or belongs to another store */
export async function ownPayment(db: Queryable, { storeId: own }: Scope, id: string): Promise<string> {
  if (!isId(id)) return noId;
  return own === null || (await findPayment(db, id, own)) ? id : noId;
}

/** @returns the delivery's id, or `noId` if it is malformed or belongs to another store */
export async function ownDelivery(db: Queryable, { storeId: own }: Scope, id: string): Promise<string> {
  if (!isId(id)) return noId;
  return own === null || (await findDelivery(db, id))?.storeId === own ? id : noId;
}
