import type { TokenRecord } from '@payments/domain/tokens';
import { CompiledQuery } from 'kysely';
import { gather, ofReads } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import {
  type PaymentRow,
  paymentColumns,
  type StoredPayment,
  toStoredPayment,
} from '../payments/payments.ts';
import { type Store, toStore } from './stores.ts';

export type Authenticated = { tokenId: string; token: TokenRecord; store: Store };

/**
 * Reads what authentication needs, from the database at every request, so that a rotation holds for the very next one
 * on every replica (spec 5.4); requests that come together are looked up together.
 */
export type TokenReader = {
  /** @returns the token with this hash, and its store */
  findToken(hash: Buffer): Promise<Authenticated | undefined>;
  /**
   * The same, and the payment with this id where it is that store's: a payment of another store and one that does
   * not exist are told apart by nothing (spec 4.2).
   */
  findTokenAndPayment(
    hash: Buffer,
    paymentId: string,
  ): Promise<(Authenticated & { payment: StoredPayment | undefined }) | undefined>;
};

/** @returns a reader of tokens; every process has one for all its requests */
export function tokenReader(db: Queryable): TokenReader {
  const findToken = gather(async (hashes: Buffer[]) => {
    const rows = await look<TokenRow>(db, findTokensText, [hashes]);
    return hashes.map((_, index) => rows.get(index) && toAuthenticated(rows.get(index) as TokenRow));
  }, ofReads);
  const findBoth = gather(async (wanted: { hash: Buffer; paymentId: string }[]) => {
    const values = [wanted.map(({ hash }) => hash), wanted.map(({ paymentId }) => paymentId)];
    const rows = await look<TokenAndPaymentRow>(db, findTokensAndPaymentsText, values);
    return wanted.map((_, index) => toBoth(rows.get(index)));
  }, ofReads);
  return { findToken, findTokenAndPayment: (hash, paymentId) => findBoth({ hash, paymentId }) };
}

type TokenRow = {
  /** Which of those asked for it answers, from 1. */
  place: number;
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

type TokenAndPaymentRow = TokenRow & (PaymentRow | { id: null });

// Written out, since they run at every request: building them each time costs more than reading their answers.
// "offset 0" keeps each look-up one step down an index: on empty tables, a join of all at once would be planned as a
// walk through both tables, and stay so while they grow.
const tokensText = `lateral (
    select t.id as token_id, t.superseded_at, t.deactivated_at, t.expires_at as token_expires_at, s.id as store, s.name,
      s.active, s.fee_ppm, s.fee_fixed, s.max_amount, s.review_above, s.created_at as store_created_at
    from tokens t join stores s on s.id = t.store_id where t.hash = asked.hash offset 0
  ) found`;
const findTokensText = `select asked.place, found.*
  from unnest($1::bytea[]) with ordinality as asked (hash, place), ${tokensText}`;
const findTokensAndPaymentsText = `select asked.place, found.*, payment.*
  from unnest($1::bytea[], $2::uuid[]) with ordinality as asked (hash, payment_id, place), ${tokensText} left join lateral (
    select ${paymentColumns.join(', ')} from payments p where p.id = asked.payment_id offset 0
  ) payment on payment.store_id = found.store`;

async function look<Row extends { place: number }>(
  db: Queryable,
  text: string,
  values: unknown[],
): Promise<Map<number, Row>> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, values));
  return new Map(rows.map((row) => [row.place - 1, row]));
}

function toBoth(row: TokenAndPaymentRow | undefined) {
  return row && { ...toAuthenticated(row), payment: row.id === null ? undefined : toStoredPayment(row) };
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
