import type { TokenRecord } from '@payments/domain/tokens';
import { CompiledQuery } from 'kysely';
import { pausedBanks } from '../banks/banks.ts';
import { batched } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { paymentColumns, type StoredPayment } from '../payments/payments.ts';
import type { Store } from './stores.ts';

export type Authenticated = {
  tokenId: string;
  token: TokenRecord;
  store: Store;
  /** The ids of banks that get no new charges now. */
  pausedBanks: string[];
};
export type AuthenticatedReader = Authenticated & { payment: StoredPayment | undefined };

/**
 * @returns the token with this hash, and its store; read at every request, so that a rotation, and the pause of a bank,
 * take effect on every replica at once
 */
export const findToken = batched(async (db: Queryable, hashes: Buffer[]) => {
  const rows = await read<TokenRow>(db, tokensText, [hashes]);
  return hashes.map((_, index) => authenticated(rows.get(index)));
});

/**
 * @returns the same, and the payment with this id if it is that store's. Another store's payment looks the same as a
 * missing one
 */
export const findTokenAndPayment = batched(
  async (db: Queryable, wanted: { hash: Buffer; paymentId: string }[]) => {
    const values = [wanted.map(({ hash }) => hash), wanted.map(({ paymentId }) => paymentId)];
    const rows = await read<TokenRow & PaymentRow>(db, tokensAndPaymentsText, values);
    return wanted.map((_, index) => authenticatedReader(rows.get(index)));
  },
);

type TokenRow = {
  token_id: string;
  superseded_at: Date | null;
  deactivated_at: Date | null;
  expires_at: Date | null;
  store_id: string;
  name: string;
  active: boolean;
  fee_ppm: number | null;
  fee_fixed: number | null;
  max_amount: number;
  review_above: number | null;
  banks: string[] | null;
  paused_banks: string[];
  created_at: Date;
};

/** Its camel-case names differ from those of the columns above. */
type PaymentRow = StoredPayment | { id: null };

// Plain text and no plugin: these run at every request, and building them or renaming their columns would cost more than
// reading their rows.
const tokenColumns = `asked.place, t.id as token_id, t.superseded_at, t.deactivated_at, t.expires_at,
  t.store_id, s.name, s.active, s.fee_ppm, s.fee_fixed, s.max_amount, s.review_above, s.banks, s.created_at,
  ${pausedBanks} as paused_banks`;

const tokensText = `
  select ${tokenColumns}
  from unnest($1::bytea[]) with ordinality as asked (hash, place)
  join tokens t on t.hash = asked.hash
  join stores s on s.id = t.store_id`;

const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

const tokensAndPaymentsText = `
  select ${tokenColumns}, ${paymentColumns.map((name) => `p.${snakeCase(name)} as "${name}"`)}
  from unnest($1::bytea[], $2::uuid[]) with ordinality as asked (hash, payment_id, place)
  join tokens t on t.hash = asked.hash
  join stores s on s.id = t.store_id
  left join payments p on p.id = asked.payment_id`;

/** @returns the rows by the index of the request */
async function read<Row>(db: Queryable, text: string, values: unknown[]): Promise<Map<number, Row>> {
  const { rows } = await db
    .withoutPlugins()
    .executeQuery<Row & { place: number }>(CompiledQuery.raw(text, values));
  return new Map(rows.map((row) => [row.place - 1, row]));
}

function authenticatedReader(row: (TokenRow & PaymentRow) | undefined): AuthenticatedReader | undefined {
  const found = authenticated(row);
  if (!found || !row) return undefined;
  const isTheirs = row.id !== null && row.storeId === found.store.id;
  return { ...found, payment: isTheirs ? row : undefined };
}

function authenticated(row: TokenRow | undefined): Authenticated | undefined {
  if (!row) return undefined;
  return {
    tokenId: row.token_id,
    token: {
      supersededAt: row.superseded_at,
      deactivatedAt: row.deactivated_at,
      expiresAt: row.expires_at,
      storeActive: row.active,
    },
    pausedBanks: row.paused_banks,
    store: {
      id: row.store_id,
      name: row.name,
      active: row.active,
      feePpm: row.fee_ppm,
      feeFixed: row.fee_fixed,
      maxAmount: row.max_amount,
      reviewAbove: row.review_above,
      banks: row.banks,
      createdAt: row.created_at,
    },
  };
}
