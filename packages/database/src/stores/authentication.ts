import type { StoreChoices } from '@payments/domain/store-choices';
import type { TokenRecord } from '@payments/domain/tokens';
import { pausedBanks } from '../banks/banks.ts';
import { batched } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { paymentColumns, type StoredPayment } from '../payments/payments.ts';
import { run, snakeCase } from '../run.ts';
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
  // Requests at once are mostly of a few stores, so each token is read once.
  const keys = hashes.map((hash) => hash.toString('latin1'));
  const asked = new Map(keys.map((key, index) => [key, hashes[index]]));
  const rows = await read<TokenRow>(db, tokensText, [[...asked.values()]]);
  const found = new Map([...asked.keys()].map((key, index) => [key, authenticated(rows.get(index))]));
  return keys.map((key) => found.get(key));
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
  tokenId: string;
  tokenSupersededAt: Date | null;
  tokenDeactivatedAt: Date | null;
  tokenExpiresAt: Date | null;
  tokenStoreId: string;
  storeName: string;
  storeActive: boolean;
  storeFeePpm: number | null;
  storeFeeFixed: number | null;
  storeMaxAmount: number;
  storeReviewAbove: number | null;
  storeBanks: string[] | null;
  storeTest: boolean;
  storeEvents: StoreChoices['events'];
  storeTokenMay: StoreChoices['tokenMay'];
  storeRefundLimitPerDay: number | null;
  storeCreatedAt: Date;
  pausedBanks: string[];
};

/** The columns of a payment keep their names, so those of the token and the store have others. */
type PaymentRow = StoredPayment | { id: null };

const tokenColumns = `asked.place, t.id as token_id, t.superseded_at as token_superseded_at,
  t.deactivated_at as token_deactivated_at, t.expires_at as token_expires_at, t.store_id as token_store_id,
  s.name as store_name, s.active as store_active, s.fee_ppm as store_fee_ppm, s.fee_fixed as store_fee_fixed,
  s.max_amount as store_max_amount, s.review_above as store_review_above, s.banks as store_banks, s.test as store_test,
  s.events as store_events, s.token_may as store_token_may, s.refund_limit_per_day as store_refund_limit_per_day,
  s.created_at as store_created_at, ${pausedBanks} as paused_banks`;

const tokensText = `
  select ${tokenColumns}
  from unnest($1::bytea[]) with ordinality as asked (hash, place)
  join tokens t on t.hash = asked.hash
  join stores s on s.id = t.store_id`;

const tokensAndPaymentsText = `
  select ${tokenColumns}, ${paymentColumns.map((name) => `p.${snakeCase(name)}`)}
  from unnest($1::bytea[], $2::uuid[]) with ordinality as asked (hash, payment_id, place)
  join tokens t on t.hash = asked.hash
  join stores s on s.id = t.store_id
  left join payments p on p.id = asked.payment_id`;

/** @returns the rows by the index of the request */
async function read<Row>(db: Queryable, text: string, values: unknown[]): Promise<Map<number, Row>> {
  const rows = await run<Row & { place: number }>(db, text, values);
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
    tokenId: row.tokenId,
    token: {
      supersededAt: row.tokenSupersededAt,
      deactivatedAt: row.tokenDeactivatedAt,
      expiresAt: row.tokenExpiresAt,
      storeActive: row.storeActive,
    },
    pausedBanks: row.pausedBanks,
    store: {
      id: row.tokenStoreId,
      name: row.storeName,
      active: row.storeActive,
      feePpm: row.storeFeePpm,
      feeFixed: row.storeFeeFixed,
      maxAmount: row.storeMaxAmount,
      reviewAbove: row.storeReviewAbove,
      banks: row.storeBanks,
      test: row.storeTest,
      events: row.storeEvents,
      tokenMay: row.storeTokenMay,
      refundLimitPerDay: row.storeRefundLimitPerDay,
      createdAt: row.storeCreatedAt,
    },
  };
}
