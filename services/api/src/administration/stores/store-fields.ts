import type { Store, StoreChange } from '@payments/database/stores/stores';
import { centavosFrom, reaisFrom } from '@payments/domain/money';
import type { Banks } from '@payments/pix/banks';
import { type Static, Type } from '@sinclair/typebox';
import { reasonField } from '../../access/author.ts';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readText } from '../../http/field-values.ts';
import { optional } from '../shapes.ts';

const maxMaxAmount = 1_000_000;

/** The default maximum amount (Contract: amount), in centavos. */
export const defaultMaxAmount = 300_000;

const amount = (minimum: number) => Type.Number({ minimum, maximum: maxMaxAmount });
const name = Type.String({ minLength: 1, maxLength: 200, description: 'Name of the store.' });
const terms = {
  feePercent: optional(
    Type.Number({ minimum: 0, maximum: 100 }),
    'Percentage fee per payment, with at most four decimals; null for none.',
  ),
  feeFixed: optional(amount(0), 'Fixed fee per payment, in BRL; null for none.'),
  maxAmount: optional(amount(3_000), 'Highest amount of one payment, in BRL: 3000 or more. Null means 3000.'),
  reviewAbove: optional(
    amount(0.01),
    'A Pix of this amount or more, in BRL, goes to review; null turns this off.',
  ),
  banks: optional(
    Type.Array(Type.String()),
    'Ids of the banks that may take its charges, in order of preference; null for all.',
  ),
  reason: reasonField,
};

export const NewStoreBody = Type.Object(
  { name, ...terms },
  { $id: 'NewStore', description: 'A store to create. Fields that are not listed are ignored.' },
);
export const StoreChangeBody = Type.Object(
  {
    name: optional(name, 'Name of the store.'),
    active: optional(Type.Boolean(), 'Whether the store may use the API.'),
    ...terms,
  },
  { $id: 'StoreChange', description: 'The fields to change. Absent fields stay as they are.' },
);

/**
 * Reads a store's fields from a body. Amounts become centavos, percentages parts per million.
 * @throws ApiError 400 for an amount with more than two decimals, a percentage with more than four, or unknown banks
 */
export function readStoreFields(body: Static<typeof StoreChangeBody>, banks: Banks): StoreChange {
  const change: StoreChange = {};
  if (typeof body.name === 'string') change.name = readName(body.name);
  if (typeof body.active === 'boolean') change.active = body.active;
  if (body.feePercent !== undefined) change.feePpm = body.feePercent === null ? null : ppm(body.feePercent);
  if (body.feeFixed !== undefined) change.feeFixed = centavos('feeFixed', body.feeFixed);
  if (body.maxAmount !== undefined)
    change.maxAmount = centavos('maxAmount', body.maxAmount) ?? defaultMaxAmount;
  if (body.reviewAbove !== undefined) change.reviewAbove = centavos('reviewAbove', body.reviewAbove);
  if (body.banks !== undefined) change.banks = body.banks === null ? null : readBankIds(body.banks, banks);
  return change;
}

/** @throws ApiError 400 for no bank, one that is not configured, or one given twice */
function readBankIds(ids: readonly string[], banks: Banks): string[] {
  if (ids.length === 0) throw wrongField('banks', rules.notEmpty);
  if (ids.some((id) => !banks.find(id)))
    throw wrongField('banks', rules.oneOf(banks.all().map(({ id }) => id)));
  if (new Set(ids).size < ids.length) throw wrongField('banks', rules.unique);
  return [...ids];
}

/** @throws ApiError 400 for a name that is blank, or that the database can't store */
export function readName(name: string): string {
  if (name.trim() === '') throw wrongField('name', rules.notEmpty);
  return readText('name', name);
}

function centavos(name: string, reais: number | null): number | null {
  if (reais === null) return null;
  const value = centavosFrom(reais);
  if (value === undefined) throw wrongField(name, rules.twoDecimals);
  return value;
}

function ppm(percent: number): number {
  // The shortest text of a double has as many decimals as the client wrote.
  if (!/^\d+(\.\d{1,4})?$/.test(String(percent))) throw wrongField('feePercent', rules.fourDecimals);
  return Math.round(percent * 10_000);
}

/** @returns a store as the admin API shows it; amounts in reais */
export function storeView(store: Store) {
  return {
    id: store.id,
    name: store.name,
    active: store.active,
    feePercent: store.feePpm === null ? null : store.feePpm / 10_000,
    feeFixed: store.feeFixed === null ? null : reaisFrom(store.feeFixed),
    maxAmount: reaisFrom(store.maxAmount),
    reviewAbove: store.reviewAbove === null ? null : reaisFrom(store.reviewAbove),
    banks: store.banks,
    createdAt: store.createdAt.toISOString(),
  };
}
