import {
  type FeedItem,
  openObservations,
  type PaymentBody,
  type SeenPayment,
  type SeenStore,
} from '../src/observations.ts';
import type { Case } from '../src/promises/promise.ts';
import type {
  BankPix,
  BankRefund,
  EventShown,
  Leftover,
  RefundShown,
  UnmatchedShown,
} from '../src/verdict/evidence.ts';

/** A hand-made run of one payment of R$ 10.00, of a store that pays 10 %. Seconds count from its creation. */
export type HandMade = {
  status: string;
  /** The amount on every side, in reais; the fee follows unless given. */
  amount: number;
  feeAmount?: number;
  pix?: BankPix[];
  refunds?: RefundShown[];
  /** Its changes after the creation: the new status, the actor, the second, and the webhook's amount in reais. */
  events?: [status: string, actor: string, second: number, told?: number, reason?: string][];
  /** Centavos of each refund whose order was confirmed to an administrator, by its id. */
  ordered?: Record<string, number>;
  /** Those of them that named their amount. */
  named?: string[];
  /** The list of refunds; by default the payment's own. */
  refundsNotMade?: RefundShown[];
  unmatched?: UnmatchedShown[];
  leftovers?: Leftover[];
  /** The code that the last read shows, where it is another one than the first. */
  code?: string;
  /** Every bank that has a charge of it; by default a real one. */
  knownAt?: Leftover['bank'][];
  /** The totals of its store, in reais; by default the amount. */
  total?: number;
  /** Whether its store is a test store. */
  test?: boolean;
  /** The store's feed at the end, and what a reader followed. */
  feed?: FeedItem[];
  followed?: FeedItem[];
};

const id = '01900000-0000-7000-8000-000000000001';
export const txid = id.replaceAll('-', '');
const createdAt = Date.parse('2026-11-23T12:00:00Z');
/** The code of the create response. */
const firstCode = 'a code';
const timeOf = (second: number) => new Date(createdAt + second * 1_000).toISOString();

const store: SeenStore = {
  id: 'store',
  name: 'store-0',
  test: false,
  secret: 'whsec',
  reviewAbove: null,
  feePercent: 10,
  feeFixed: null,
  token: 'token',
  tokenId: 'token',
  unansweredRotations: 0,
  rotatedAt: 0,
  payments: [],
  followed: { next: undefined, items: [] },
};

/** @returns a Pix at the bank, `valor` in reais */
export function pixOf(valor: string, second: number, ...devolucoes: BankRefund[]): BankPix {
  return { endToEndId: `E${second}`, valor, horario: timeOf(second), devolucoes };
}

/** @returns a return at the bank: ours, or a MED if its id says so */
export function devolucao(refundId: string, valor: string, second: number, status = 'DEVOLVIDO'): BankRefund {
  const natureza = refundId.startsWith('MED') ? 'MED_FRAUDE' : 'ORIGINAL';
  const at = timeOf(second);
  return { id: refundId, valor, status, natureza, horario: { solicitacao: at, liquidacao: at } };
}

/** @returns a refund as the service shows it, by default of the Pix of second 1 */
export function refundOf(refundId: string, amount: number, more: Partial<RefundShown> = {}): RefundShown {
  const origin = refundId.startsWith('MED') ? 'bank' : 'service';
  const none = { reason: 'rejected', lastError: null, orderAgainAt: null, owedAmount: null };
  return { id: refundId, endToEndId: 'E1', amount, origin, state: 'refunded', ...none, ...more };
}

export function caseOf(made: HandMade): Case {
  const { status, pix = [], refunds = [], refundsNotMade = refunds, unmatched = [] } = made;
  const body = bodyOf(status, made.amount, made.feeAmount);
  const events = eventsOf(made);
  const observations = openObservations();
  observations.stores.push({
    ...store,
    test: made.test ?? false,
    followed: { next: 'next', items: made.followed ?? [] },
  });
  observations.payments.set(id, seenOf(made));
  observations.visits = events.flatMap(({ event, told }) => (told === undefined ? [] : visitOf(event, told)));
  const detail = {
    ...body,
    charged: 10,
    events: events.map(({ event }) => event),
    updates: [],
    pix: pix.map(({ endToEndId, valor, horario }, index) => {
      return {
        endToEndId,
        amount: Number(valor),
        effect: index === 0 ? 'approved' : 'refund',
        receivedAt: horario,
      };
    }),
    refunds,
    deliveries: [],
  };
  const payment = {
    id,
    read: { status: 200, body: made.code === undefined ? body : { ...body, qrCopyPaste: made.code } },
    detail,
    bank: { status: 'CONCLUIDA', expiraEm: timeOf(20), pix },
    leftovers: made.leftovers ?? [],
    knownAt: made.knownAt ?? (['bb'] as const).slice(),
  };
  const lists = new Map([[store.id, [body]]]);
  const feeds = new Map([[store.id, made.feed ?? []]]);
  const sums = [{ storeId: store.id, approvedAmount: made.total ?? made.amount }];
  const totals = { real: sums, test: [] };
  const charges = payment.knownAt.map((bank) => ({ bank, txid, storeName: store.name }));
  const evidence = {
    payments: [payment],
    charges,
    lists,
    feeds,
    refundsNotMade,
    unmatched,
    violations: [],
    totals,
  };
  return {
    observations,
    evidence,
    windows: [],
    left: { pending: 0, inReview: 0, refunds: 0, deliveries: 0 },
  };
}

function bodyOf(status: string, amount: number, feeAmount = Math.round(amount * 10) / 100): PaymentBody {
  const liquidValue = Math.round((amount - feeAmount) * 100) / 100;
  const rest = { observation: null, email: null, qrCopyPaste: null, webhookUrl: null, isPublic: true };
  return { id, status, amount, feeAmount, liquidValue, storeId: store.id, createdAt: timeOf(0), ...rest };
}

function eventsOf({ events = [] }: HandMade): { event: EventShown; told: number | undefined }[] {
  const all: NonNullable<HandMade['events']> = [['pending', 'store', 0, 10], ...events];
  return all.map(([status, actor, second, told, reason = null], index) => ({
    told,
    event: {
      id: `event-${index}`,
      sequence: index + 1,
      type: index === 0 ? 'payment.created' : 'payment.status_changed',
      status,
      previousStatus: all[index - 1]?.[0] ?? null,
      actor,
      reason,
      occurredAt: timeOf(second),
      published: true,
    },
  }));
}

function visitOf({ id: deliveryId, status }: EventShown, told: number) {
  const event = { ...bodyOf(status, told), event: 'payment.status_changed' };
  const how = { url: 'http://receiver/store-0', temper: 'good', status: 200, signatureValid: true };
  return [{ deliveryId, ...how, at: createdAt, body: JSON.stringify(event), event }];
}

function seenOf({ ordered = {}, named = [] }: HandMade): SeenPayment {
  const refunds = Object.entries(ordered).map(([refundId, amount]) => ({
    isNamed: named.includes(refundId),
    id: refundId,
    amount,
    at: createdAt,
  }));
  const request = { amount: 10, observation: 'one' };
  const rest = { plan: 'by hand', pix: [], moves: [], unansweredRefunds: 0, answeredAt: createdAt };
  return { id, store, request, body: { ...bodyOf('pending', 10), qrCopyPaste: firstCode }, refunds, ...rest };
}
