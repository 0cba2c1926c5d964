import type { DayFigures, Difference } from '@payments/domain/compare-day';
import type { EventType } from '@payments/domain/events';
import type { PaymentView } from '@payments/domain/payment';
import type { RefundState } from '@payments/domain/refunds';
import type { Role } from '@payments/domain/roles';
import type { PaymentStatus } from '@payments/domain/status';
import type { ColumnType, Generated, GeneratedAlways, Selection, Simplify } from 'kysely';
import type { ChangeAction, ChangedValues } from './operations/change-actions.ts';

/** The types of the tables. A test compares them with the migrated database. */
export type Schema = {
  stores: StoresTable;
  tokens: TokensTable;
  payments: PaymentsTable;
  total_changes: TotalsTable;
  daily_totals: TotalsTable;
  payment_counts: { store_id: string; status: PaymentStatus; shard: number; payments: number };
  events: EventsTable;
  outbox: OutboxTable;
  dispatchers: { id: string; leased_until: Date };
  deliveries: DeliveriesTable;
  failing_endpoints: FailingEndpointsTable;
  pix_received: PixReceivedTable;
  refunds: RefundsTable;
  idempotency_keys: IdempotencyKeysTable;
  cursors: { bank: string; name: string; position: Date };
  unheard_charges: UnheardChargesTable;
  banks: BanksTable;
  reconciliations: ReconciliationsTable;
  keys: KeysTable;
  erasures: ErasuresTable;
  accounts: AccountsTable;
  recovery_codes: { account_id: string; hash: Buffer };
  passkeys: PasskeysTable;
  sessions: SessionsTable;
  sign_in_failures: { key: Buffer; count: number; last_at: Date };
  known_places: { key: Buffer; seen_at: Date };
  changes: ChangesTable;
  charge_problems: ChargeProblemsTable;
};

/** The row that a list of columns of a table selects. */
export type Selected<Table extends keyof Schema, Columns extends readonly unknown[]> = Simplify<
  Selection<Schema, Table, Columns[number]>
>;

export type StoresTable = {
  id: string;
  name: string;
  active: Generated<boolean>;
  fee_ppm: number | null;
  fee_fixed: number | null;
  max_amount: number;
  review_above: number | null;
  /** The banks that may take its charges, in order of preference; null for all. */
  banks: string[] | null;
  webhook_secret: string;
  previous_webhook_secret: string | null;
  previous_webhook_secret_until: Date | null;
  created_at: Date;
};

export type TokensTable = {
  id: string;
  store_id: string;
  hash: Buffer;
  created_at: Date;
  expires_at: Date | null;
  deactivated_at: Date | null;
  superseded_at: Date | null;
  last_used_at: Date | null;
};

export type ChargeState = 'unregistered' | 'registered' | 'cancelling' | 'closed';

export type PaymentsTable = {
  id: string;
  store_id: string;
  status: PaymentStatus;
  /** The amount of the charge. */
  charged: number;
  /** The payment's value now: received and not given back in the statuses that confirm money, else `charged`. */
  amount: number;
  fee_amount: number | null;
  liquid_value: number | null;
  /** The store's fee at creation. */
  fee_ppm: number | null;
  fee_fixed: number | null;
  observation: string | null;
  email: string | null;
  /** Both texts with their case folded, for the search. */
  search_text: GeneratedAlways<string | null>;
  webhook_url: string | null;
  is_public: boolean;
  /** The bank that its charge belongs to; null before one took it. */
  bank: string | null;
  copy_and_paste: string | null;
  /** The store's own name for it, unique in the store; null if it gave none. */
  reference: string | null;
  /** The seconds to pay that the store asked for; null for the default. */
  expires_in: number | null;
  charge_state: ChargeState;
  charge_try_at: Date | null;
  charge_tries: Generated<number>;
  registered_at: Date | null;
  expires_at: Date;
  /** When the expiry scan checks it next; the lease of that scan. */
  expiry_check_at: Date;
  /** Since when it is in review; null in every other status. */
  review_since: Date | null;
  /** When its time in review was over, and all that was received began to go back. */
  review_timed_out_at: Date | null;
  approved_at: Date | null;
  /** What was kept of it at its approval; null if it was never approved. */
  received: number | null;
  /** The number of its events: the sequence of the newest. */
  events: number;
  request_id: string | null;
  created_at: Date;
};

/** Figures of a day, a store, a status and a bank. Store and status are null for refunds of a Pix that fits no payment. */
export type TotalsTable = {
  /** A day of São Paulo, `2026-11-23`. */
  day: string;
  store_id: string | null;
  status: PaymentStatus | null;
  /** Null while no bank has taken the charge. */
  bank: string | null;
  created: Generated<number>;
  approved: Generated<number>;
  approved_amount: Generated<number>;
  fee_amount: Generated<number>;
  received: Generated<number>;
  refunded_amount: Generated<number>;
  given_back: Generated<number>;
};

export type EventsTable = {
  id: string;
  payment_id: string;
  store_id: string;
  sequence: number;
  type: EventType;
  status: PaymentStatus;
  previous_status: PaymentStatus | null;
  payload: ColumnType<PaymentView, string, never>;
  actor: string;
  reason: string | null;
  request_id: string | null;
  trace_parent: string | null;
  occurred_at: Date;
};

export type OutboxTable = { event_id: string; created_at: Generated<Date> };

export type DeliveryState = 'pending' | 'delivered' | 'dead';

export type DeliveriesTable = {
  id: string;
  payment_id: string;
  store_id: string;
  sequence: number;
  url: string;
  endpoint: string;
  state: DeliveryState;
  attempts: Generated<number>;
  attempts_before_redrive: Generated<number>;
  attempted: Generated<boolean>;
  next_attempt_at: Date | null;
  claimed_by: string | null;
  claimed_at: Date | null;
  attempt_log: Generated<LoggedAttempt[]>;
  request_id: string | null;
  created_at: Date;
};

/** An attempt in `deliveries.attempt_log`. */
export type LoggedAttempt = {
  number: number;
  startedAt: string;
  durationMs: number | null;
  statusCode: number | null;
  stage: string | null;
  error: string | null;
  responseExcerpt: string | null;
};

export type FailingEndpointsTable = {
  id: string;
  store_id: string;
  url: string;
  failures: number;
  openings: number;
  failing_since: Date;
  open_until: Date | null;
  last_error: string | null;
};

export type PixReceivedTable = {
  end_to_end_id: string;
  bank: string;
  /** Null while it fits no payment. */
  payment_id: string | null;
  amount: number;
  effect: string;
  paid_at: Date;
  received_at: Date;
  txid: string | null;
  /** Why it fits no payment; null if it fits one. */
  unmatched: string | null;
};

export type RefundsTable = {
  id: string;
  end_to_end_id: string;
  /** The bank of its Pix. */
  bank: string;
  /** Null for a refund of a Pix that fits no payment. */
  payment_id: string | null;
  amount: number;
  /** The amount that this order was to give back. */
  wanted: number;
  origin: 'service' | 'bank';
  reason: string;
  /** The reason in the words of the person who ordered it. */
  note: string | null;
  state: RefundState;
  rtr_id: string | null;
  tries: Generated<number>;
  try_at: Date | null;
  claim_id: string | null;
  last_error: string | null;
  /** The refund that this one replaces. */
  replaces: string | null;
  /** Counts the service's refunds of a Pix, from 1; null for the bank's. */
  ordinal: number | null;
  /** How many refusals the service has answered with a new order. */
  reorders: Generated<number>;
  /** When the service orders a refused refund's missing amount again. */
  order_again_at: Date | null;
  /** A refused refund's missing amount, if a person must act. */
  owed: number | null;
  /** When the bank gave the money back. */
  made_at: Date | null;
  /** What of it an approved payment lost; null if it took nothing from one. */
  given_back: number | null;
  idempotency_key: string | null;
  request_hash: Buffer | null;
  created_at: Date;
  updated_at: Date;
};

/** Work on a charge that keeps failing. */
export type ChargeProblemsTable = {
  bank: string;
  txid: string;
  work: 'settle' | 'expire' | 'cancel';
  payment_id: string | null;
  error: string;
  tries: Generated<number>;
  since: Date;
  /** Pix that someone reported for the charge. */
  end_to_end_ids: Generated<string[]>;
  /** When it is settled again; null if the payment's own schedule decides. */
  try_at: Date | null;
};

/** A bank that was asked for a payment's charge and gave no answer. */
export type UnheardChargesTable = {
  payment_id: string;
  bank: string;
  asked_at: Date;
  try_at: Date;
  tries: Generated<number>;
};

/** The last comparison of a bank's day with ours. */
export type ReconciliationsTable = {
  bank: string;
  /** São Paulo's, as `2026-11-23`. */
  day: string;
  checked_at: Date;
  /** Their number. */
  differences: number;
  result: ColumnType<ReconciliationResult, string, string>;
};

export type BanksTable = {
  id: string;
  psp: string;
  known_since: Date;
  failing_since: Date | null;
  failing_until: Date | null;
  last_error: string | null;
  paused_since: Date | null;
  paused_reason: string | null;
  resumed_at: Date | null;
};

export type ReconciliationResult = {
  atBank: DayFigures;
  ours: DayFigures;
  others: { count: number; amount: number };
  differences: Difference[];
};

export type IdempotencyKeysTable = {
  store_id: string;
  key: string;
  request_hash: Buffer;
  payment_id: string;
  created_at: Date;
};

/** A program's key. */
export type KeysTable = {
  id: string;
  name: string;
  role: Role;
  /** Null for a platform's role. */
  store_id: string | null;
  hash: Buffer;
  created_at: Date;
  expires_at: Date | null;
  last_used_at: Date | null;
  deleted_at: Date | null;
};

/** The erasure of a person, until nothing of them is left. */
export type ErasuresTable = {
  id: string;
  /** Null once no request that began before the erasure can still write it. */
  email: string | null;
  /** Empty once it is finished. */
  payment_ids: string[];
  requested_at: Date;
  finished_at: Date | null;
};

/** A person's account. */
export type AccountsTable = {
  id: string;
  name: string;
  email: string;
  role: Role;
  /** Null for a platform's role. */
  store_id: string | null;
  active: Generated<boolean>;
  /** Null until the invitation is used. */
  password: string | null;
  invitation_hash: Buffer | null;
  invitation_until: Date | null;
  /** Encrypted; null without a second factor. */
  totp_secret: Buffer | null;
  /** The time step of the last accepted code. */
  totp_step: number | null;
  /** The account's identity at the single sign-on. */
  issuer: string | null;
  subject: string | null;
  created_at: Date;
};

export type PasskeysTable = {
  /** WebAuthn's credential id. */
  id: string;
  account_id: string;
  public_key: Buffer;
  counter: number;
  name: string;
  /** When the challenge of its last accepted answer was made. */
  challenge_at: Date | null;
  created_at: Date;
  last_used_at: Date | null;
};

/** A session at the panel. */
export type SessionsTable = {
  hash: Buffer;
  id: string;
  /** Null for `ADMIN_KEY`. */
  account_id: string | null;
  /** What the holder of `ADMIN_KEY` typed. */
  name: string | null;
  /** False until the second factor was given. */
  complete: boolean;
  address: string;
  browser: string | null;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
};

export type ChangesTable = {
  id: GeneratedAlways<number>;
  action: ChangeAction;
  store_id: string | null;
  payment_id: string | null;
  subject: string | null;
  event_id: string | null;
  before: ColumnType<ChangedValues | null, string | null, never>;
  after: ColumnType<ChangedValues | null, string | null, never>;
  author: string | null;
  author_id: string | null;
  via: 'api' | 'panel';
  reason: string | null;
  request_id: string | null;
  occurred_at: Date;
};
