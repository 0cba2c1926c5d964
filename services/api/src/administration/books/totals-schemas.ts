import { Type } from '@sinclair/typebox';
import { count, textOrNull } from '../shapes.ts';

const brl = (description: string) => Type.Number({ description: `${description}, in BRL.` });

const TotalsItem = Type.Object(
  {
    day: Type.Optional(Type.String({ format: 'date', description: 'The day in São Paulo; with `by=day`.' })),
    storeId: Type.Optional(
      textOrNull('The store; with `by=store`. Null for refunds of Pix that fit no payment.', {
        format: 'uuid',
      }),
    ),
    status: Type.Optional(
      textOrNull('The status now; with `by=status`. Null for refunds of Pix that fit no payment.'),
    ),
    createdCount: count('Payments created.'),
    approvedCount: count('Payments approved of which something is left.'),
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
