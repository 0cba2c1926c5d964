import type { Role } from '@payments/domain/roles';

/** Who sends a request: the emergency key `ADMIN_KEY`, a program's key, or a person's account. */
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
    /** Who sends the request. The scope's authentication sets it. */
    actor: Actor;
  }
}

/** Whoever has `ADMIN_KEY`. */
export const holderOfAdminKey: Actor = {
  kind: 'admin_key',
  id: null,
  name: 'ADMIN_KEY',
  role: 'owner',
  storeId: null,
};
