import { Type } from '@sinclair/typebox';
import { count, oneOf, textOrNull, time } from '../shapes.ts';

const Bank = Type.Object(
  {
    id: Type.String({ description: 'Its id in `BANKS_FILE`, or `default`.' }),
    psp: Type.String({ description: 'Its profile.' }),
    state: oneOf(
      ['healthy', 'failing', 'paused'],
      '`failing`: it does not answer, or is configured no more while something waits there. `paused`: by an ' +
        'administrator.',
    ),
    since: time('When this state began.'),
    lastError: textOrNull('The last failure, in the bank’s words; null if there was none.'),
    waiting: count('Charges that wait for their code and could only go to this bank.'),
    chargesToday: count('Charges registered there today, São Paulo’s day.'),
    amountToday: Type.Number({ description: 'Their sum, in BRL.' }),
  },
  { $id: 'Bank', description: 'A bank that takes charges.' },
);

const BankList = Type.Object(
  { items: Type.Array(Type.Ref('Bank'), { description: 'The banks, in order of preference.' }) },
  { $id: 'BankList', description: 'The banks.' },
);

/** The reason is required, unlike elsewhere: whoever finds a bank paused must learn why. */
export const PauseBody = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: 2_000,
      description: 'Why, recorded with the change and shown.',
    }),
  },
  { $id: 'Pause', description: 'The reason of a pause.' },
);

export const bankSchemas = [Bank, BankList, PauseBody];
