import type { FeedItem, PaymentBody } from '../observations.ts';
import type { BankId } from '../system/banks.ts';

/** The final state of one payment on all sides. Amounts in reais, the bank's as text. */
export type PaymentEvidence = {
  id: string;
  /** The response of the store's API. */
  read: { status: number; body: PaymentBody };
  /** The response of the administrators' API. */
  detail: PaymentDetail;
  /** Its bank's view, with the Pix of all banks; undefined without such a charge. */
  bank: BankCharge | undefined;
  /** Its charges at the other banks, which nobody saw. */
  leftovers: Leftover[];
  /** Every bank that has a charge of it. */
  knownAt: BankId[];
};

export type PaymentDetail = PaymentBody & {
  charged: number;
  /** Its creation and its moves. */
  events: EventShown[];
  /** Everything else that changed. */
  updates: EventShown[];
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

/** @returns all events of a payment, in their order */
export function allEventsOf({ events, updates }: Pick<PaymentDetail, 'events' | 'updates'>): EventShown[] {
  return [...events, ...updates].sort((a, b) => a.sequence - b.sequence);
}

export type RefundShown = {
  id: string;
  endToEndId: string;
  amount: number;
  origin: string;
  reason: string;
  state: string;
  lastError: string | null;
  /** When the service orders it again. */
  orderAgainAt: string | null;
  /** The amount for which a person must act. */
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

export type Leftover = { bank: BankId; status: string };

/** `expiraEm` is the end of the time to pay. */
export type BankCharge = { status: string; expiraEm: string; pix: BankPix[] };
/** `isElsewhere` if it came to a charge of a bank that is not the payment's. */
export type BankPix = {
  endToEndId: string;
  isElsewhere?: boolean;
  valor: string;
  horario: string;
  devolucoes: BankRefund[];
};
export type BankRefund = {
  id: string;
  valor: string;
  status: string;
  natureza: string;
  horario: { solicitacao: string; liquidacao?: string };
};

/** `isTest` if it is shown with those of test stores. */
export type OfEitherKind<Item> = Item & { isTest?: boolean };

/** A Pix that the service shows as unmatched. */
export type UnmatchedShown = { endToEndId: string; txid: string | null; amount: number; reason: string };

/** A charge that a bank has or had, and the name of its store that its payer reads. */
export type ChargeAtBank = { bank: BankId; txid: string; storeName: string | undefined };

export type Evidence = {
  payments: PaymentEvidence[];
  /** All charges at all banks, also of payments that nobody committed. */
  charges: ChargeAtBank[];
  /** Each store's list. */
  lists: Map<string, PaymentBody[]>;
  /** Each store's feed, read from its begin when all was over. */
  feeds: Map<string, FeedItem[]>;
  /** The administrators' list of refunds that have not been made. */
  refundsNotMade: OfEitherKind<RefundShown>[];
  unmatched: UnmatchedShown[];
  /** Requests to the banks that violated API Pix. */
  violations: unknown[];
  /** The totals by store, and those of test stores. */
  totals: { real: TotalsShown[]; test: TotalsShown[] };
};

/** Sums of a store's payments, in reais; without a store they are of unmatched Pix. */
export type TotalsShown = { storeId: string | null; approvedAmount: number };

export const centavos = (reais: number | string): number => Math.round(Number(reais) * 100);

export const sum = (amounts: number[]): number => amounts.reduce((total, amount) => total + amount, 0);
