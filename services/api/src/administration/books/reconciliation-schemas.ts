import { Type } from '@sinclair/typebox';
import { count, oneOf, time } from '../shapes.ts';

const kinds = ['missing_here', 'missing_at_bank', 'amount_differs', 'unreadable'] as const;

const isFinal = Type.Boolean({
  description:
    'Whether the day was over, and half an hour more, when it was checked. If not, it is checked again, and only ' +
    'differences mean something.',
});

const date = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'São Paulo’s day.' });
const figures = (description: string) =>
  Type.Object(
    {
      pixCount: count('Pix of the day, by their `horario`.'),
      pixAmount: Type.Number({ description: 'Their sum, in BRL.' }),
      refundCount: count('Returns made on the day, the service’s and the bank’s own.'),
      refundAmount: Type.Number({ description: 'Their sum, in BRL.' }),
    },
    { description },
  );

const Difference = Type.Object(
  {
    kind: oneOf(
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
    checkedAt: time('When the bank was asked.'),
    isFinal,
    bank: figures('The bank’s day.'),
    ours: figures('Our day.'),
    others: Type.Object(
      {
        count: count('Pix without a txid, of a charge that is not this service’s, or to another key.'),
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
        checkedAt: time('When it was checked last; of several banks, the earliest.'),
        isFinal,
        differences: count('The number of differences found.'),
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
