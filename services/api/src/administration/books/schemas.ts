import type { UnmatchedPix as StoredUnmatchedPix } from '@payments/database/charges/unmatched-pix';
import {
  periods,
  type Statement as StoredStatement,
  type StatementItem as StoredStatementItem,
} from '@payments/database/totals/statement';
import type { Grouping, Totals as StoredTotals } from '@payments/database/totals/totals';
import type { DayFigures, Difference as FoundDifference } from '@payments/domain/compare-day';
import { reaisFrom } from '@payments/domain/money';
import { Type } from '@sinclair/typebox';
import { pageOf, Shape } from '../shapes.ts';
import type { ComparedDay } from './actions.ts';

const brl = (description: string) => Type.Number({ description: `${description}, in BRL.` });

const TotalsItem = Type.Object(
  {
    day: Type.Optional(Type.String({ format: 'date', description: 'The day in São Paulo; with `by=day`.' })),
    storeId: Type.Optional(
      Shape.textOrNull('The store; with `by=store`. Null for refunds of Pix that fit no payment.', {
        format: 'uuid',
      }),
    ),
    status: Type.Optional(
      Shape.textOrNull('The status now; with `by=status`. Null for refunds of Pix that fit no payment.'),
    ),
    createdCount: Shape.count('Payments created.'),
    approvedCount: Shape.count('Payments approved of which something is left.'),
    approvedAmount: brl('What is left now of the payments approved'),
    feeAmount: brl('Their fees now'),
    liquidValue: brl('`approvedAmount` less `feeAmount`'),
    refundedAmount: brl('All returns made, ours and the banks’'),
  },
  {
    $id: 'TotalsItem',
    description: 'Each figure belongs to the time of its own event: creation, approval or return.',
  },
);

const Totals = Type.Object(
  { items: Type.Array(Type.Ref('TotalsItem'), { description: 'Groups with any figure, in order.' }) },
  { $id: 'Totals', description: 'Totals by day, store or status.' },
);

export const totalsSchemas = [TotalsItem, Totals];

const StatementItem = Type.Object(
  {
    period: Type.String({ description: '`2026-11-23` or `2026-11`.' }),
    received: brl('What was kept of payments at their approval, in this period'),
    fees: brl('Their fees as they are now'),
    givenBack: brl('What went back of approved payments, in this period'),
    closing: brl('What was there before, plus `received`, minus `fees` and `givenBack`'),
  },
  { $id: 'StatementItem', description: 'One day or month of a statement.' },
);

const Statement = Type.Object(
  {
    opening: brl('What was there before the first day'),
    items: Type.Array(Type.Ref('StatementItem'), { description: 'Periods with a movement, in order.' }),
    closing: brl('What is there after the last day'),
  },
  { $id: 'Statement', description: 'A store’s statement (extrato).' },
);

export const statementSchemas = [StatementItem, Statement];

const kinds = ['missing_here', 'missing_at_bank', 'amount_differs', 'unreadable'] as const;

const isFinal = Type.Boolean({
  description:
    'Whether the day was over, and half an hour more, when each of its banks was checked. If not, it is checked again ' +
    'once they can be asked, and only differences mean something.',
});

const date = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'São Paulo’s day.' });
const figures = (description: string) =>
  Type.Object(
    {
      pixCount: Shape.count('Pix of the day, by their `horario`.'),
      pixAmount: Type.Number({ description: 'Their sum, in BRL.' }),
      refundCount: Shape.count('Returns made on the day, the service’s and the bank’s own.'),
      refundAmount: Type.Number({ description: 'Their sum, in BRL.' }),
    },
    { description },
  );

const Difference = Type.Object(
  {
    kind: Shape.oneOf(
      [...kinds, ...kinds.map((kind) => `refund_${kind}`)],
      '`missing_here`: the bank has it, and we do not. `missing_at_bank`: we have it, and the bank does not. ' +
        '`amount_differs`: both have it. `unreadable`: the bank lists it in a form that can’t be read, so its amount is ' +
        'unknown. With `refund_`, of a return.',
    ),
    endToEndId: Type.Optional(
      Type.String({ description: 'The Pix. Absent only if `unreadable`, where the bank gave none.' }),
    ),
    refundId: Type.Optional(
      Type.String({
        description: 'The return, if it is one. Absent if it can’t be read and is not on record.',
      }),
    ),
    paymentId: Type.Optional(Type.String({ description: 'Its payment here, if it has one.' })),
    txid: Type.Optional(Type.String({ description: 'Its charge.' })),
    bankAmount: Type.Optional(Type.Number({ description: 'The bank’s amount, in BRL.' })),
    ourAmount: Type.Optional(Type.Number({ description: 'Our amount, in BRL.' })),
  },
  { $id: 'ReconciliationDifference', description: 'What the bank and we say differently.' },
);

const Reconciliation = Type.Object(
  {
    date,
    checkedAt: Shape.time('When the bank was asked.'),
    isFinal,
    bank: figures('The bank’s day.'),
    ours: figures('Our day.'),
    others: Type.Object(
      {
        count: Shape.count('Pix without a txid, of a charge that is not this service’s, or to another key.'),
        amount: Type.Number({ description: 'Their sum, in BRL.' }),
      },
      { description: 'Other money of the account. It is in neither side’s figures.' },
    ),
    differences: Type.Array(Type.Ref('ReconciliationDifference'), { description: 'Empty if both agree.' }),
  },
  { $id: 'Reconciliation', description: 'A bank’s day beside ours (conciliação).' },
);

const CheckedDays = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        date,
        checkedAt: Shape.time('When it was checked last; of several banks, the earliest.'),
        isFinal,
        differences: Shape.count('The number of differences found.'),
      }),
      { description: 'The days that were checked, oldest first.' },
    ),
  },
  { $id: 'CheckedDays', description: 'The days that were checked.' },
);

// Each requires a field that the other does not have, so a body is always one of them alone.
const ReconciliationOrDays = Type.Unsafe({
  $id: 'ReconciliationOrDays',
  oneOf: [Type.Ref('Reconciliation'), Type.Ref('CheckedDays')],
  description:
    'With `date`, a `Reconciliation`; with `from` and `to`, `CheckedDays`, which alone have `items`.',
});

export const reconciliationSchemas = [Difference, Reconciliation, CheckedDays, ReconciliationOrDays];

const UnmatchedPix = Type.Object(
  {
    endToEndId: Type.String({ description: 'The Pix’s identifier at all banks.' }),
    bank: Type.String({ description: 'The bank that it arrived at.' }),
    txid: Shape.textOrNull('txid of the charge that the bank lists the Pix for.'),
    amount: Type.Number({ description: 'Amount of the Pix, in BRL.' }),
    reason: Shape.oneOf(
      ['charge_unknown', 'not_in_charge', 'no_payment'],
      '`charge_unknown`: the bank does not know the charge. `not_in_charge`: the charge does not list the Pix. ' +
        '`no_payment`: no payment has the charge.',
    ),
    paidAt: Shape.time('Time of the Pix by the bank’s clock.'),
    receivedAt: Shape.time('When the service saw the Pix.'),
  },
  { $id: 'UnmatchedPix', description: 'A Pix that the bank lists and that fits no payment.' },
);

export const unmatchedPixSchemas = [
  UnmatchedPix,
  pageOf('UnmatchedPix', 'UnmatchedPixList', 'A page of unmatched Pix.'),
];

/** A day in a query. */
export const dayQuery = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

/** The query parameters of a statement. */
export const statementQuery = {
  from: dayQuery('The first day, like `2026-11-01`; the store’s first one if absent.'),
  to: dayQuery('The last day, included.'),
  by: Type.Optional(Type.Unsafe({ ...Shape.oneOf(periods, 'The length of a period.'), default: 'day' })),
};

const keyNames: Record<Grouping, string> = { day: 'day', store: 'storeId', status: 'status' };

/** @returns totals as the admin API shows them; amounts in reais */
export function totalsView(by: Grouping, { key, createdCount, approvedCount, ...amounts }: StoredTotals) {
  const { approvedAmount, feeAmount, refundedAmount } = amounts;
  return {
    [keyNames[by]]: key,
    createdCount,
    approvedCount,
    approvedAmount: reaisFrom(approvedAmount),
    feeAmount: reaisFrom(feeAmount),
    liquidValue: reaisFrom(approvedAmount - feeAmount),
    refundedAmount: reaisFrom(refundedAmount),
  };
}

/** @returns a statement as the admin API shows it; amounts in reais */
export function statementView({ opening, items, closing }: StoredStatement) {
  return { opening: reaisFrom(opening), items: items.map(itemView), closing: reaisFrom(closing) };
}

function itemView({ period, received, fees, givenBack, closing }: StoredStatementItem) {
  return {
    period,
    received: reaisFrom(received),
    fees: reaisFrom(fees),
    givenBack: reaisFrom(givenBack),
    closing: reaisFrom(closing),
  };
}

/** @returns the day as the administration shows it, in reais */
export function reconciliationView(compared: ComparedDay) {
  const { day, checkedAt, isFinal, atBank, ours, others, differences } = compared;
  return {
    date: day,
    checkedAt,
    isFinal,
    bank: figuresView(atBank),
    ours: figuresView(ours),
    others: { ...others, amount: reaisFrom(others.amount) },
    differences: differences.map(differenceView),
  };
}

function figuresView({ pixCount, pixAmount, refundCount, refundAmount }: DayFigures) {
  return { pixCount, pixAmount: reaisFrom(pixAmount), refundCount, refundAmount: reaisFrom(refundAmount) };
}

function differenceView({ bankAmount, ourAmount, ...difference }: FoundDifference) {
  return {
    ...difference,
    ...(bankAmount !== undefined && { bankAmount: reaisFrom(bankAmount) }),
    ...(ourAmount !== undefined && { ourAmount: reaisFrom(ourAmount) }),
  };
}

/** @returns an unmatched Pix as the admin API shows it; its amount in reais */
export function unmatchedPixView(pix: StoredUnmatchedPix) {
  return { ...pix, amount: reaisFrom(pix.amount) };
}
