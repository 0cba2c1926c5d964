/** What is seen from outside while the system runs: the side that the promises are held against. */

/** A payment as the API shows it; amounts in reais. */
export type PaymentBody = {
  id: string;
  status: string;
  amount: number;
  feeAmount: number | null;
  liquidValue: number | null;
  storeId: string;
  createdAt: string;
  observation: string | null;
  email: string | null;
  qrCopyPaste: string | null;
  webhookUrl?: string | null;
  isPublic: boolean;
};

/** Money that a payer sent, by the bank's own answer; centavos. */
export type PaidPix = { endToEndId: string; amount: number; at: number };

/** A refund that an administrator was told is ordered; centavos. */
export type OrderedRefund = { id: string; amount: number; at: number };

/** What a store pays for each payment: a percentage, and reais. */
export type FeeTerms = { feePercent: number | null; feeFixed: number | null };

/** A payment whose creation was answered with 200. */
export type SeenPayment = {
  id: string;
  store: SeenStore;
  /** What was asked for. */
  request: CreationRequest;
  /** As the answer showed it. */
  body: PaymentBody;
  answeredAt: number;
  plan: string;
  pix: PaidPix[];
  /** Moves that an administrator was told are done. */
  moves: { to: string; at: number }[];
  refunds: OrderedRefund[];
  /** Orders without an answer: each may have been taken. */
  unansweredRefunds: number;
};

export type CreationRequest = { amount: number; observation: string; email?: string; webhookUrl?: string };

export type SeenStore = FeeTerms & {
  id: string;
  name: string;
  secret: string;
  reviewAbove: number | null;
  /** The newest token; undefined while it is being rotated. */
  token: string | undefined;
  tokenId: string;
  /** Rotations without an answer: each may yet take effect, also after a later one. */
  unansweredRotations: number;
  /** When a rotation began last. */
  rotatedAt: number;
  payments: SeenPayment[];
};

/** One POST at a receiver. */
export type Visit = {
  deliveryId: string;
  url: string;
  /** Of the receiver. */
  temper: string;
  at: number;
  /** What it was answered in full; null where it was not. */
  status: number | null;
  signatureValid: boolean;
  body: string;
  event: PaymentBody & { event: string; previousStatus?: string };
};

/** A request of a client that was not answered as on a good day. */
export type Failure = {
  what: string;
  from: number;
  to: number;
  status: number | null;
  says: string;
};

/** A promise that did not hold: its number, and what was seen. */
export type Breach = { promise: number; says: string; paymentId?: string | undefined };

export type Observations = {
  stores: SeenStore[];
  payments: Map<string, SeenPayment>;
  visits: Visit[];
  failures: Failure[];
  /** Creations that were sent without an answer: they may have happened. */
  unanswered: { storeId: string; observation: string }[];
  /** What was wrong on the spot. */
  breaches: Breach[];
  /** Deliveries that the ledger showed as delivered: after how many attempts. */
  seenDelivered: Map<string, number>;
  /** Connections to an address that webhooks must never reach. */
  trapped: number;
  answered: number;
  counts: Map<string, number>;
  latencies: { what: string; at: number; ms: number }[];
};

export function openObservations(): Observations {
  return {
    stores: [],
    payments: new Map(),
    visits: [],
    failures: [],
    unanswered: [],
    breaches: [],
    seenDelivered: new Map(),
    trapped: 0,
    answered: 0,
    counts: new Map(),
    latencies: [],
  };
}

/** Notes what was wrong on the spot. */
export function breach({ breaches }: Observations, promise: number, says: string, paymentId?: string): void {
  breaches.push({ promise, says, paymentId });
}

/** Adds to the figures of the summary. */
export function count(observations: Observations, what: string, more = 1): void {
  observations.counts.set(what, (observations.counts.get(what) ?? 0) + more);
}
