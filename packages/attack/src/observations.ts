import type { CreatedPayment } from '@payments/testing/answers';
import type { SeenMail } from './mail/mail.ts';
import type { BankId } from './system/banks.ts';

/** The outside view of the running system, from which the promises are judged. */

/** A payment in the API's responses; amounts in reais. */
export type PaymentBody = Omit<CreatedPayment, 'status' | 'qrCodeUrl'> & {
  status: string;
  webhookUrl?: string | null;
};

/** A Pix that the bank confirmed to the payer; centavos. */
export type PaidPix = { endToEndId: string; bank: BankId; amount: number; at: number };

/** A refund whose order was confirmed to an administrator; centavos. `isNamed`: the order named its amount. */
export type OrderedRefund = { id: string; amount: number; at: number; isNamed?: boolean };

/** A store's price for each payment: a percentage, and reais. */
export type FeeTerms = { feePercent: number | null; feeFixed: number | null };

/** A payment whose create response was 200. */
export type SeenPayment = {
  id: string;
  store: SeenStore;
  /** The creation's fields. */
  request: CreationRequest;
  /** The create response. */
  body: PaymentBody;
  answeredAt: number;
  plan: string;
  pix: PaidPix[];
  /** Moves that were confirmed to an administrator. */
  moves: { to: string; at: number }[];
  refunds: OrderedRefund[];
  /** Orders without a response: each may have been accepted. */
  unansweredRefunds: number;
};

export type CreationRequest = { amount: number; observation: string; email?: string; webhookUrl?: string };

export type SeenStore = FeeTerms & {
  id: string;
  name: string;
  test: boolean;
  secret: string;
  reviewAbove: number | null;
  /** The newest token; undefined during a rotation. */
  token: string | undefined;
  tokenId: string;
  /** Rotations without a response: each may take effect, even after a later one. */
  unansweredRotations: number;
  /** When the last rotation began. */
  rotatedAt: number;
  payments: SeenPayment[];
  /** A client that follows the store's feed all the time. */
  followed: FeedReader;
};

/** An event as the feed shows it. */
export type FeedItem = {
  id: string;
  type: string;
  paymentId: string;
  body: Partial<PaymentBody> & {
    refund?: { id: string; endToEndId: string; status: string; amount: number };
  };
};

/** A follower of a feed: the cursor, and all that was read. */
export type FeedReader = { next: string | undefined; items: FeedItem[] };

/** One POST at a receiver. */
export type Visit = {
  deliveryId: string;
  url: string;
  /** The receiver's temper. */
  temper: string;
  at: number;
  /** The status of a complete response; null without one. */
  status: number | null;
  signatureValid: boolean;
  body: string;
  event: PaymentBody & { event: string; previousStatus?: string };
};

/** A client's request without a good response. */
export type Failure = {
  what: string;
  from: number;
  to: number;
  status: number | null;
  says: string;
};

/** A broken promise: its number, and the finding. */
export type Breach = { promise: number; says: string; paymentId?: string | undefined };

export type Observations = {
  stores: SeenStore[];
  payments: Map<string, SeenPayment>;
  visits: Visit[];
  /** The mails and posts that people and the platform's webhook got, in order. */
  mails: SeenMail[];
  failures: Failure[];
  /** Creations without a response: they may have happened. */
  unanswered: { storeId: string; observation: string }[];
  /** Findings during the load. */
  breaches: Breach[];
  /** The attempts of each delivery when the service first showed it as delivered. */
  seenDelivered: Map<string, number>;
  /** Connections to an address that webhooks must not reach. */
  trapped: number;
  answered: number;
  /** Requests that have no response yet. */
  waiting: number;
  counts: Map<string, number>;
  latencies: { what: string; at: number; ms: number }[];
};

export function openObservations(): Observations {
  return {
    stores: [],
    payments: new Map(),
    visits: [],
    mails: [],
    failures: [],
    unanswered: [],
    breaches: [],
    seenDelivered: new Map(),
    trapped: 0,
    answered: 0,
    waiting: 0,
    counts: new Map(),
    latencies: [],
  };
}

/** Records a finding during the load. */
export function breach({ breaches }: Observations, promise: number, says: string, paymentId?: string): void {
  breaches.push({ promise, says, paymentId });
}

/** Adds to the figures of the summary. */
export function count(observations: Observations, what: string, more = 1): void {
  observations.counts.set(what, (observations.counts.get(what) ?? 0) + more);
}
