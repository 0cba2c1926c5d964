import type { PaymentBody } from '../observations.ts';

/** Everything that is known of one payment in the end, from all sides. Amounts in reais, the bank's as text. */
export type PaymentEvidence = {
  id: string;
  /** What the store's API answers. */
  read: { status: number; body: PaymentBody };
  /** What the administrators' API shows. */
  detail: PaymentDetail;
  /** What the bank shows; undefined where it has no such charge. */
  bank: BankCharge | undefined;
};

export type PaymentDetail = PaymentBody & {
  charged: number;
  events: EventShown[];
  pix: { endToEndId: string; amount: number; effect: string; receivedAt: string }[];
  refunds: RefundShown[];
  deliveries: DeliveryShown[];
};

export type EventShown = {
  id: string;
  sequence: number;
  type: string;
  status: string;
  previousStatus: string | null;
  actor: string;
  reason: string | null;
  occurredAt: string;
  published: boolean;
};

export type RefundShown = {
  id: string;
  endToEndId: string;
  amount: number;
  origin: string;
  reason: string;
  state: string;
  lastError: string | null;
  /** When the service orders it anew. */
  orderAgainAt: string | null;
  /** Where a person must act. */
  owedAmount: number | null;
};

export type DeliveryShown = {
  id: string;
  eventId: string;
  state: string;
  createdAt: string;
  lastError: string | null;
  attempts: {
    number: number;
    startedAt: string;
    statusCode: number | null;
    stage: string | null;
    error: string | null;
  }[];
};

/** `expiraEm` is until when it was to be paid. */
export type BankCharge = { status: string; expiraEm: string; pix: BankPix[] };
export type BankPix = { endToEndId: string; valor: string; horario: string; devolucoes: BankRefund[] };
export type BankRefund = {
  id: string;
  valor: string;
  status: string;
  natureza: string;
  horario: { solicitacao: string; liquidacao?: string };
};

/** A Pix that the service says fits no payment. */
export type UnmatchedShown = { endToEndId: string; txid: string | null; amount: number; reason: string };

export type Evidence = {
  payments: PaymentEvidence[];
  /** What each store's list shows. */
  lists: Map<string, PaymentBody[]>;
  /** What the administrators' list of refunds shows that have not been made. */
  refundsNotMade: RefundShown[];
  unmatched: UnmatchedShown[];
  /** Requests to the bank that were not API Pix. */
  violations: unknown[];
};

export const centavos = (reais: number | string): number => Math.round(Number(reais) * 100);

export const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);
