import type { ChargeProblem as Stored } from '@payments/database/charges/problems';
import { bankErrorText } from '@payments/domain/bank-error';
import { reaisFrom } from '@payments/domain/money';
import { Type } from '@sinclair/typebox';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { pageOf, Shape } from '../shapes.ts';
import type { ShownBank } from './actions.ts';

const Bank = Type.Object(
  {
    id: Type.String({ description: 'Its id in `BANKS_FILE`, or `default`.' }),
    psp: Type.String({ description: 'Its profile.' }),
    state: Shape.oneOf(
      ['healthy', 'failing', 'paused'],
      '`failing`: it does not answer, or is configured no more while something waits there. `paused`: by an ' +
        'administrator.',
    ),
    since: Shape.time('When this state began.'),
    lastError: Shape.textOrNull('The last failure, in the bank’s words; null if there was none.'),
    waiting: Shape.count('Charges that wait for their code and could only go to this bank.'),
    chargesToday: Shape.count('Charges registered there today, São Paulo’s day.'),
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

const ChargeProblem = Type.Object(
  {
    txid: Type.String({ description: 'Identifier of the charge at the bank.' }),
    paymentId: Shape.idOrNull('The charge’s payment, found by its txid.'),
    work: Shape.oneOf(
      ['register', 'settle', 'expire', 'cancel'],
      'The failing work: register the charge, which the bank refuses, settle its Pix, close the expired charge, or cancel the charge.',
    ),
    error: Type.Optional(
      Type.String({
        description:
          'Error of the last try, with the bank’s words. Absent for a store’s roles, which see problems of their payments.',
      }),
    ),
    tries: Type.Integer({
      minimum: 0,
      description: 'Number of failed tries; 0 if the bank only could not be asked.',
    }),
    since: Shape.time('Time of the first failure.'),
    tryAt: Shape.timeOrNull(
      'Time of the next try to settle; null for all other work, which follows the payment’s own schedule.',
    ),
  },
  { $id: 'ChargeProblem', description: 'A charge that keeps failing. The service keeps retrying it.' },
);

export const bankSchemas = [Bank, BankList, PauseBody];
export const chargeProblemSchemas = [
  ChargeProblem,
  pageOf('ChargeProblem', 'ChargeProblemList', 'A page of charges that keep failing.'),
];

/** A charge that keeps failing; without its error for a role that may not read it. */
export type ShownProblem = Omit<Stored, 'error'> & Partial<Pick<Stored, 'error'>>;

/** @returns a charge that keeps failing as the admin API shows it */
export function problemView({ error, ...problem }: ShownProblem) {
  return { ...problem, ...(error && { error: bankErrorText(error) }) };
}

export const bankQuery = {
  bank: Type.Optional(Type.String({ description: 'Only this bank’s, by its id.' })),
};

export const ofBankFilter: Conditions = {
  bankUnknown: field('bank', rules.oneOf(['default']), '`bank` is not a bank that was ever configured.'),
  bankUnknownToStore: field(
    'bank',
    rules.known,
    'The same, asked by a role of a store, which sees no banks.',
  ),
};

export const ofBank: Conditions = {
  bankUnknown: field('bank', rules.oneOf(['default']), '`bank` is not a configured bank.'),
};

/** @returns a bank as the admin API shows it; its amount in reais */
export function bankView(bank: ShownBank) {
  const { id, psp, state, since, waiting, chargesToday, amountToday } = bank;
  const lastError = bank.isConfigured
    ? bank.lastError && bankErrorText(bank.lastError)
    : `${id} is not configured, and what it has waits`;
  return {
    ...{ id, psp, state, since, lastError, waiting, chargesToday },
    amountToday: reaisFrom(amountToday),
  };
}
