import { Type } from '@sinclair/typebox';

const brl = (description: string) => Type.Number({ description: `${description}, in BRL.` });

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
