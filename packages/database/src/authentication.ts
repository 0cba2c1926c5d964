import type { TokenRecord } from '@payments/domain/tokens';
import { CompiledQuery } from 'kysely';
import type { Queryable } from './connection.ts';
import { type PaymentRow, paymentColumns, type StoredPayment, toStoredPayment } from './payments.ts';
import { type Store, toStore } from './stores.ts';

export type Authenticated = { tokenId: string; token: TokenRecord; store: Store };

type TokenRow = {
  token_id: string;
  superseded_at: Date | null;
  deactivated_at: Date | null;
  token_expires_at: Date | null;
  store: string;
  name: string;
  active: boolean;
  fee_ppm: number | null;
  fee_fixed: number | null;
  max_amount: number;
  review_above: number | null;
  store_created_at: Date;
};

// Written out, since they run at every request: building them each time costs more than reading their answers.
const tokenColumns = `t.id as token_id, t.superseded_at, t.deactivated_at, t.expires_at as token_expires_at, s.id as store, s.name, s.active,
  s.fee_ppm, s.fee_fixed, s.max_amount, s.review_above, s.created_at as store_created_at`;
const tokens = 'tokens t join stores s on s.id = t.store_id';
const findTokenText = `select ${tokenColumns} from ${tokens} where t.hash = $1`;
const findTokenAndPaymentText = `select ${tokenColumns}, ${paymentColumns.map((column) => `p.${column}`).join(', ')}
  from ${tokens} left join payments p on p.id = $2 and p.store_id = s.id where t.hash = $1`;

/**
 * Reads a token by its hash, with its store: what authentication needs, in one statement, from the database at
 * every request, so that a rotation holds for the very next one on every replica (spec 5.4).
 */
export async function findToken(db: Queryable, hash: Buffer): Promise<Authenticated | undefined> {
  const { rows } = await db.executeQuery<TokenRow>(CompiledQuery.raw(findTokenText, [hash]));
  return rows[0] && toAuthenticated(rows[0]);
}

/**
 * The same, and the payment with this id where it is that store's, in one round trip: a payment of another store
 * and one that does not exist are told apart by nothing (spec 4.2).
 */
export async function findTokenAndPayment(
  db: Queryable,
  hash: Buffer,
  paymentId: string,
): Promise<(Authenticated & { payment: StoredPayment | undefined }) | undefined> {
  const query = CompiledQuery.raw(findTokenAndPaymentText, [hash, paymentId]);
  const { rows } = await db.executeQuery<TokenRow & (PaymentRow | { id: null })>(query);
  const row = rows[0];
  if (!row) return undefined;
  return { ...toAuthenticated(row), payment: row.id === null ? undefined : toStoredPayment(row) };
}

function toAuthenticated(row: TokenRow): Authenticated {
  return {
    tokenId: row.token_id,
    token: {
      supersededAt: row.superseded_at,
      deactivatedAt: row.deactivated_at,
      expiresAt: row.token_expires_at,
      storeActive: row.active,
    },
    store: toStore({ ...row, id: row.store, created_at: row.store_created_at }),
  };
}
