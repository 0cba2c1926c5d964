import { type ChangedValues, changeActions } from '@payments/database/record/change-actions';
import type { Change as RecordedChange } from '@payments/database/record/changes';
import { reaisFrom } from '@payments/domain/money';
import { Type } from '@sinclair/typebox';
import { ReasonBody } from '../../access/actor.ts';
import { pageOf, Shape } from '../shapes.ts';

const value = Type.Union([
  Type.String(),
  Type.Number(),
  Type.Boolean(),
  Type.Array(Type.String()),
  Type.Null(),
]);
const values = (description: string) =>
  Type.Union([Type.Record(Type.String(), value), Type.Null()], { description });

const Change = Type.Object(
  {
    id: Type.Integer({ description: 'Number of the change; a later one is higher.' }),
    at: Shape.time('Time of the commit.'),
    action: Type.Unsafe<string>({
      type: 'string',
      'x-extensible-enum': changeActions,
      description: 'The action. The list may grow.',
    }),
    storeId: Shape.idOrNull('The store concerned; null for all stores.'),
    paymentId: Shape.idOrNull('The payment concerned.'),
    subject: Shape.textOrNull('Id of the token, delivery, Pix, receiver or bank concerned.'),
    from: values('Old values by field; amounts in BRL.'),
    to: values('New values by field; amounts in BRL.'),
    author: Shape.textOrNull('Name of the account or key; `ADMIN_KEY` for the key of last resort.'),
    authorId: Shape.idOrNull('Id of the account or key; null for `ADMIN_KEY`.'),
    via: Shape.oneOf(['api', 'panel'], 'Where the change was made.'),
    reason: Shape.textOrNull('The administrator’s reason.'),
    requestId: Shape.textOrNull('Id of the request, as in the logs.'),
    address: Shape.textOrNull(
      'Address of the client, behind trusted proxies; null where no request made the entry.',
    ),
    browser: Shape.textOrNull('What the browser or program called itself, at most 200 characters.'),
    hash: Shape.textOrNull(
      'SHA-256, in hex, of this entry and the hash of the entry committed before it; `record:check` verifies them.',
    ),
  },
  { $id: 'Change', description: 'A change by an administrator. It never contains a secret.' },
);

export const changeSchemas = [
  ReasonBody,
  Change,
  pageOf('Change', 'ChangeList', 'A page of administrators’ changes.'),
];

/** Fields of changes that are amounts in centavos. */
export const recordedAmounts = new Set([
  'feeFixed',
  'maxAmount',
  'reviewAbove',
  'refundLimitPerDay',
  'amount',
]);

/** @returns a change as the admin API shows it: amounts in reais, fees in percent */
export function changeView({ from, to, ...change }: RecordedChange) {
  return { ...change, from: from && shown(from), to: to && shown(to) };
}

function shown(values: ChangedValues): ChangedValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => field(name, value)));
}

function field(name: string, value: ChangedValues[string]): [string, ChangedValues[string]] {
  if (name === 'feePpm') return ['feePercent', typeof value === 'number' ? value / 10_000 : value];
  return [name, typeof value === 'number' && recordedAmounts.has(name) ? reaisFrom(value) : value];
}
