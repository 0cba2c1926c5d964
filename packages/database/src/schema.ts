import type { BankError, RefundError } from '@payments/domain/bank-error';
import type { DeliveryError } from '@payments/domain/delivery-error';
import type { EventType } from '@payments/domain/events';
import type { PaymentView } from '@payments/domain/payment';
import type { RefundState, RefundView } from '@payments/domain/refunds';
import type { Role } from '@payments/domain/roles';
import type { PaymentStatus } from '@payments/domain/status';
import type { OptionalEvent, TokenDeed } from '@payments/domain/store-choices';
import type { MailKind, Notice, NoticeKind } from '@payments/notices/kinds';
import type { SendError } from '@payments/notices/sending';
import type { ColumnType, Generated, GeneratedAlways, Selection, Simplify } from 'kysely';
import type { ToldReturn } from './charges/problems.ts';
import type { CheckedDay } from './reconciliation/checked-days.ts';
import type { ChangeAction, ChangedValues } from './record/change-actions.ts';
import type { Author, NewChange } from './record/changes.ts';

/** A change as JSON, whose time is text. */
export type RepeatedChange = { by: Author; change: Omit<NewChange, 'at'> & { at: string } };

/** The types of the tables. A test compares them with the migrated database. */
export type Schema = {
  stores: {
    id: string;
    name: string;
    active: Generated<boolean>;
    feePpm: number | null;
    feeFixed: number | null;
    maxAmount: number;
    reviewAbove: number | null;
    /** The banks that may take its charges, in order of preference; null for all. */
    banks: string[] | null;
    /** Whether it is a test store: from its creation, for ever. */
    test: Generated<boolean>;
    /** The events beyond the contract's two that its webhooks bring. */
    events: Generated<OptionalEvent[]>;
    /** The deeds beyond the contract that its tokens may do. */
    tokenMay: Generated<TokenDeed[]>;
    /** The most that its tokens may refund in a day, in centavos; null for no limit. */
    refundLimitPerDay: number | null;
    webhookSecret: string;
    previousWebhookSecret: string | null;
    previousWebhookSecretUntil: Date | null;
    createdAt: Date;
  };
  tokens: {
    id: string;
    storeId: string;
    hash: Buffer;
    createdAt: Date;
    expiresAt: Date | null;
    deactivatedAt: Date | null;
    supersededAt: Date | null;
    lastUsedAt: Date | null;
  };
  payments: {
    id: string;
    storeId: string;
    /** Whether its store is a test store. */
    test: Generated<boolean>;
    status: PaymentStatus;
    charged: number;
    /** Its value now: received and not given back in the statuses that confirm money, else `charged`. */
    amount: number;
    feeAmount: number | null;
    liquidValue: number | null;
    /** The store's terms at creation. */
    feePpm: number | null;
    feeFixed: number | null;
    observation: string | null;
    email: string | null;
    /** The store's words to the payer, in the bank's app. */
    description: string | null;
    /** These texts with their case folded, for the search. */
    searchText: GeneratedAlways<string | null>;
    webhookUrl: string | null;
    isPublic: boolean;
    /** The bank that its charge belongs to; null before one took it. */
    bank: string | null;
    copyAndPaste: string | null;
    /** The store's own name for it, unique in the store; null if it gave none. */
    reference: string | null;
    /** The seconds to pay that the store asked for; null for the default. */
    expiresIn: number | null;
    chargeState: 'unregistered' | 'registered' | 'cancelling' | 'closed';
    chargeTryAt: Date | null;
    chargeTries: Generated<number>;
    registeredAt: Date | null;
    expiresAt: Date;
    /** When the expiry scan checks it next; the lease of that scan. */
    expiryCheckAt: Date;
    /** Since when it is in review; null in every other status. */
    reviewSince: Date | null;
    /** When its time in review was over, and all that was received began to go back. */
    reviewTimedOutAt: Date | null;
    approvedAt: Date | null;
    /** The part that was kept at its approval; null if it was never approved. */
    received: number | null;
    /** The number of its events: the sequence of the newest. */
    events: number;
    /** How many of them told a status. */
    moves: Generated<number>;
    /** False once a person was erased from it: receivers' responses may repeat what they know of the person. */
    keepsResponses: Generated<boolean>;
    requestId: string | null;
    createdAt: Date;
  };
  totalChanges: Totals;
  dailyTotals: Totals;
  paymentCounts: { storeId: string; status: PaymentStatus; shard: number; payments: number };
  events: {
    id: string;
    paymentId: string;
    storeId: string;
    sequence: number;
    type: EventType;
    status: PaymentStatus;
    /** The payment's, or the refund's that the event is about. */
    previousStatus: PaymentStatus | RefundState | null;
    payload: ColumnType<PaymentView, string, never>;
    previous: ColumnType<Partial<PaymentView> | null, string | null, never>;
    refund: ColumnType<RefundView | null, string | null, never>;
    actor: string;
    reason: string | null;
    requestId: string | null;
    /** The W3C `traceparent` of its cause, so that other processes continue its trace. */
    traceParent: string | null;
    occurredAt: Date;
    /** Its place in its store's feed. It may pass JavaScript's whole numbers, so statements read it as text. */
    place: Generated<number>;
  };
  feedOrigin: { systemIdentifier: number; timelinesBefore: number };
  outbox: { eventId: string; createdAt: Generated<Date> };
  dispatchers: { id: string; leasedUntil: Date };
  deliveries: {
    id: string;
    paymentId: string;
    storeId: string;
    sequence: number;
    url: string;
    endpoint: string;
    state: DeliveryState;
    attempts: Generated<number>;
    attemptsBeforeRedrive: Generated<number>;
    /** Whether an attempt is recorded, so that the next event need not wait. */
    attempted: Generated<boolean>;
    nextAttemptAt: Date | null;
    claimedBy: string | null;
    claimedAt: Date | null;
    attemptLog: Generated<LoggedAttempt[]>;
    /** The payment's, as it was at the event, and false after an erasure. */
    keepsResponses: Generated<boolean>;
    requestId: string | null;
    createdAt: Date;
  };
  failingEndpoints: {
    id: string;
    storeId: string;
    url: string;
    failures: number;
    openings: number;
    failingSince: Date;
    openUntil: Date | null;
    lastError: DeliveryError | null;
    toldSince: Date | null;
  };
  pixReceived: {
    endToEndId: string;
    bank: string;
    paymentId: string | null;
    amount: number;
    /** `approved`, `review` or `refund`; `returned` if all of it went back before the service saw it; `unmatched`. */
    effect: string;
    paidAt: Date;
    receivedAt: Date;
    txid: string | null;
    /** Why it fits no payment; null if it fits one. */
    unmatched: string | null;
  };
  refunds: {
    id: string;
    endToEndId: string;
    bank: string;
    /** Null for a refund of a Pix that fits no payment. */
    paymentId: string | null;
    amount: number;
    /** The amount that this order was to give back. */
    wanted: number;
    /** True if a person named the amount: it goes back as ordered, or not at all. */
    exact: Generated<boolean>;
    origin: 'service' | 'bank';
    reason: string;
    /** The reason in the words of the person who ordered it. */
    note: string | null;
    state: RefundState;
    rtrId: string | null;
    tries: Generated<number>;
    tryAt: Date | null;
    lastError: RefundError | null;
    /** The bank's responses in a row that did not show it. */
    looks: Generated<number>;
    /** True if the service concluded that it was not made: any later word of the bank replaces that. */
    concluded: Generated<boolean>;
    /** The refund that this one replaces. */
    replaces: string | null;
    /** Counts the service's refunds of a Pix, from 1; null for the bank's. */
    ordinal: number | null;
    /** How many refusals the service has answered with a new order. */
    reorders: Generated<number>;
    /** When the service orders a refused refund's missing amount again. */
    orderAgainAt: Date | null;
    /** That amount, in centavos. */
    orderAgainAmount: number | null;
    /** A refused refund's missing amount, if a person must act. */
    owed: number | null;
    /** When the bank gave the money back; `updatedAt` while it gives no time. */
    madeAt: Date | null;
    /** The part that it took from an approved payment; null if it took nothing from one. */
    givenBack: number | null;
    idempotencyKey: string | null;
    requestHash: Buffer | null;
    /** The store's token that ordered it, or the refund that it replaces; null if a person or a rule did. */
    tokenId: string | null;
    createdAt: Date;
    updatedAt: Date;
  };
  idempotencyKeys: {
    storeId: string;
    key: string;
    requestHash: Buffer;
    paymentId: string;
    createdAt: Date;
  };
  cursors: { bank: string; name: string; position: Date };
  /** A bank that was asked for a payment's charge and gave no answer. */
  unheardCharges: {
    paymentId: string;
    bank: string;
    askedAt: Date;
    tryAt: Date;
    tries: Generated<number>;
  };
  banks: {
    id: string;
    psp: string;
    knownSince: Date;
    failingSince: Date | null;
    failingUntil: Date | null;
    lastError: BankError | null;
    pausedSince: Date | null;
    pausedReason: string | null;
    lastPausedAt: Date | null;
    resumedAt: Date | null;
  };
  /** The last comparison of a bank's day with ours. */
  reconciliations: {
    bank: string;
    /** São Paulo's, as `2026-11-23`. */
    day: string;
    checkedAt: Date;
    settled: boolean;
    differences: number;
    result: ColumnType<Pick<CheckedDay, 'atBank' | 'ours' | 'others' | 'differences'>, string, string>;
  };
  keys: {
    id: string;
    name: string;
    role: Role;
    storeId: string | null;
    hash: Buffer;
    createdAt: Date;
    expiresAt: Date | null;
    lastUsedAt: Date | null;
    deletedAt: Date | null;
  };
  /** The erasure of a person, until nothing of them is left. */
  erasures: {
    id: string;
    /** Null once no request that began before the erasure can still write it. */
    email: string | null;
    /** The payments whose events are still to leave JetStream; empty once it is finished. */
    paymentIds: string[];
    requestedAt: Date;
    finishedAt: Date | null;
  };
  accounts: {
    id: string;
    name: string;
    email: string;
    role: Role;
    /** Whether groups of the single sign-on gave the role, and no person changed it. */
    roleFromGroups: Generated<boolean>;
    /** Null for a platform's role. */
    storeId: string | null;
    active: Generated<boolean>;
    /** An Argon2id hash; null until the invitation is used. */
    password: string | null;
    invitationHash: Buffer | null;
    invitationUntil: Date | null;
    /** The link that a person asked for who forgot the password. The invitation beside it goes on working. */
    resetHash: Buffer | null;
    resetUntil: Date | null;
    /** Encrypted; null without a second factor. */
    totpSecret: Buffer | null;
    /** The time step of the last accepted code. */
    totpStep: number | null;
    /** Wrong codes since the last right one. */
    wrongCodes: Generated<number>;
    /** The account's identity at the single sign-on. */
    issuer: string | null;
    subject: string | null;
    /** The kinds of notices that the person chose; null for those of the role. */
    notices: string[] | null;
    createdAt: Date;
  };
  recoveryCodes: { accountId: string; hash: Buffer };
  passkeys: {
    /** WebAuthn's credential id. */
    id: string;
    accountId: string;
    publicKey: Buffer;
    counter: number;
    name: string;
    /** When the challenge of its last accepted answer was made. */
    challengeAt: Date | null;
    createdAt: Date;
    lastUsedAt: Date | null;
  };
  sessions: {
    hash: Buffer;
    id: string;
    /** Null for `ADMIN_KEY`. */
    accountId: string | null;
    /** False until the second factor was given. */
    complete: boolean;
    address: string;
    browser: string | null;
    createdAt: Date;
    lastUsedAt: Date;
    /** When the person last proved who they are: at the sign-in, or since. */
    provedAt: Date;
    expiresAt: Date;
  };
  /** Facts that people are told of. */
  notices: {
    id: string;
    kind: NoticeKind;
    key: string;
    storeId: string | null;
    facts: ColumnType<Notice['facts'], string, never>;
    occurredAt: Date;
    /** When it was given to the mails of those whom it concerns; null before. */
    sharedAt: Date | null;
  };
  /** Mails to people, and posts to the platform's webhook. */
  mails: {
    id: string;
    kind: MailKind;
    /** Null for a post to the platform's webhook. */
    accountId: string | null;
    /** The address that it went to, or goes to; of a webhook, the host alone. */
    recipient: string;
    /** Null before the first try. */
    subject: string | null;
    /** The facts of a mail to the person concerned; null for one that brings notices. */
    facts: ColumnType<object | null, string | null, never>;
    /** A one-time link in its text, sealed. */
    link: string | null;
    state: MailState;
    attempts: Generated<number>;
    /** The next try, or when a try's lease ends; null once it has ended. */
    nextAttemptAt: Date | null;
    /** Whether nothing may be added to it any more. */
    closed: boolean;
    /** Whether an earlier try may have arrived, so that each repeat has the same words. */
    fixed: Generated<boolean>;
    lastError: SendError | null;
    createdAt: Date;
    sentAt: Date | null;
  };
  mailNotices: { mailId: string; noticeId: string };
  signInFailures: { key: Buffer; count: number; lastAt: Date };
  knownPlaces: { key: Buffer; seenAt: Date };
  changes: {
    id: GeneratedAlways<number>;
    action: ChangeAction;
    storeId: string | null;
    paymentId: string | null;
    subject: string | null;
    eventId: string | null;
    before: ColumnType<ChangedValues | null, string | null, never>;
    after: ColumnType<ChangedValues | null, string | null, never>;
    author: string | null;
    authorId: string | null;
    via: 'api' | 'panel';
    reason: string | null;
    requestId: string | null;
    address: string | null;
    browser: string | null;
    occurredAt: Date;
  };
  /** The chain of the record, which PostgreSQL writes. */
  changeHashes: { position: number; changeId: number; hash: Buffer };
  /** One actor's repetitions in ten minutes. */
  repeatedChanges: {
    actor: string;
    kind: string;
    since: Date;
    isAnonymous: boolean;
    times: number;
    last: ColumnType<RepeatedChange, string, string>;
  };
  /** Work on a charge that keeps failing. */
  chargeProblems: {
    bank: string;
    txid: string;
    work: 'register' | 'settle' | 'expire' | 'cancel';
    paymentId: string | null;
    error: BankError;
    tries: Generated<number>;
    since: Date;
    /** The bank's responses in a row that did not show the charge. */
    looks: Generated<number>;
    /** Pix that the bank told of, until they are on record. */
    endToEndIds: Generated<string[]>;
    /** Returns that the bank told of, until they are on record. */
    returns: Generated<ToldReturn[]>;
    /** How many Pix of it the bank told of at once, where it did not name each; otherwise 0. */
    pixTold: Generated<number>;
    /** When it is settled again; null if the payment's own schedule decides. */
    tryAt: Date | null;
  };
};

/** The row that a list of columns of a table selects. */
export type Selected<Table extends keyof Schema, Columns extends readonly unknown[]> = Simplify<
  Selection<Schema, Table, Columns[number]>
>;

export type MailState = 'pending' | 'sent' | 'failed';

export type DeliveryState = 'pending' | 'delivered' | 'dead';

/** An attempt in `deliveries.attempt_log`. */
export type LoggedAttempt = {
  number: number;
  startedAt: string;
  durationMs: number | null;
  statusCode: number | null;
  /** Null for a success. */
  error: DeliveryError | null;
  responseExcerpt: string | null;
};

/** Figures of a day, a store, a status and a bank. Store and status are null for refunds of a Pix that fits no payment. */
type Totals = {
  /** A day of São Paulo, `2026-11-23`. */
  day: string;
  storeId: string | null;
  status: PaymentStatus | null;
  /** Null while no bank has taken the charge. */
  bank: string | null;
  created: Generated<number>;
  createdAmount: Generated<number>;
  approved: Generated<number>;
  approvedAmount: Generated<number>;
  feeAmount: Generated<number>;
  received: Generated<number>;
  refundedAmount: Generated<number>;
  givenBack: Generated<number>;
};
