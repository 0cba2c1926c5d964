import { isStoreRole, type Role } from '@payments/domain/roles';
import type { ReviewReason } from '@payments/domain/status';

/**
 * The kinds of notices, what each says, and who is told (Contract: notices). Pure: the database keeps notices, the
 * dispatcher sends them.
 */

/** The kinds of what waits for people. Each person chooses among these; the platform's webhook has all of them. */
export const noticeKinds = [
  'review_waiting',
  'refund_owed',
  'returned_by_bank',
  'unmatched_pix',
  'endpoint_failing',
  'bank_failing',
  'reconciliation_differs',
  'certificate_expires',
] as const;

export type NoticeKind = (typeof noticeKinds)[number];

/** The kinds that the person concerned is told, always, by e-mail alone. Nobody chooses these, and nothing collects them. */
export const personalKinds = ['invitation', 'password_reset', 'access_changed'] as const;

export type PersonalKind = (typeof personalKinds)[number];

export const mailKinds = [...noticeKinds, ...personalKinds] as const;

export type MailKind = (typeof mailKinds)[number];

/**
 * The facts of each kind, beside its store: ids, amounts in centavos, days as `2026-11-23`. Nothing of it is what a payer
 * gave. A `null` is an id that does not exist: a Pix that fits no payment has none.
 */
export type NoticeFacts = {
  /** `amount` is what was received. */
  review_waiting: { paymentId: string; amount: number; reason: ReviewReason };
  /** The bank refused for good; a person must act. */
  refund_owed: { endToEndId: string; refundId: string; paymentId: string | null; amount: number };
  /** A return that began at the bank, a MED or not; `reason` is the bank's `natureza`, or `bank` if it tells none. */
  returned_by_bank: {
    endToEndId: string;
    refundId: string;
    paymentId: string | null;
    amount: number;
    reason: string;
  };
  unmatched_pix: { endToEndId: string; bank: string; amount: number };
  /** `host` alone of the URL, as its path may be a secret. */
  endpoint_failing: { endpointId: string; host: string; failures: number };
  bank_failing: { bank: string };
  /** `differences` is their number. */
  reconciliation_differs: { bank: string; date: string; differences: number };
  /** `date` is the last day on which it is valid. */
  certificate_expires: { bank: string; date: string };
};

/** A fact that people are told of. One with the same kind and key is the same fact, however often it is seen. */
export type Notice = {
  [Kind in NoticeKind]: {
    kind: Kind;
    key: string;
    /** The store that it concerns; null if it concerns the platform alone. */
    storeId: string | null;
    occurredAt: Date;
    facts: NoticeFacts[Kind];
  };
}[NoticeKind];

/** The content of a letter or a post: one notice, or several of one kind that were collected. */
export type Collected = {
  kind: NoticeKind;
  /** The first of them, oldest first; never empty. */
  notices: readonly Notice[];
  /** How many there are, with those that are not among `notices`. */
  total: number;
};

const owners = ['owner'] as const;

/** The roles that are told of a kind as long as they choose nothing else. */
const byDefault: Record<NoticeKind, readonly Role[]> = {
  review_waiting: [...owners, 'operator', 'store_admin'],
  refund_owed: [...owners, 'operator', 'finance'],
  returned_by_bank: [...owners, 'finance', 'store_admin'],
  unmatched_pix: [...owners, 'operator', 'finance'],
  endpoint_failing: [...owners, 'store_admin'],
  bank_failing: [...owners, 'operator'],
  reconciliation_differs: [...owners, 'finance'],
  certificate_expires: [...owners, 'operator'],
};

const ofStores: readonly NoticeKind[] = ['review_waiting', 'returned_by_bank', 'endpoint_failing'];

/** @returns the kinds that a role may choose among */
export function choosableKinds(role: Role): readonly NoticeKind[] {
  return isStoreRole(role) ? ofStores : noticeKinds;
}

/** The fields of an account that decide which notices it gets. `notices` is the person's choice, null for none made. */
export type Recipient = {
  role: Role;
  storeId: string | null;
  active: boolean;
  notices: readonly string[] | null;
};

/** @returns the kinds that a person is told of, in the order of {@link noticeKinds}: as chosen, else as the role has them */
export function kindsOf({ role, notices }: Pick<Recipient, 'role' | 'notices'>): NoticeKind[] {
  return choosableKinds(role).filter((kind) =>
    notices === null ? byDefault[kind].includes(role) : notices.includes(kind),
  );
}

/** @returns whether a person is told of a notice. A store's people are told of their store's alone */
export function isToldOf(
  recipient: Recipient,
  { kind, storeId }: { kind: NoticeKind; storeId: string | null },
): boolean {
  if (!recipient.active || !kindsOf(recipient).includes(kind)) return false;
  return !isStoreRole(recipient.role) || (storeId !== null && recipient.storeId === storeId);
}

/** @returns the accounts that are told of a notice */
export function recipientsOf<Account extends Recipient>(
  kind: NoticeKind,
  storeId: string | null,
  accounts: readonly Account[],
): Account[] {
  return accounts.filter((account) => isToldOf(account, { kind, storeId }));
}
