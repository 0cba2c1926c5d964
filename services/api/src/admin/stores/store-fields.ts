import type { Store, StoreChange } from '@payments/database/stores';
import { centavosFrom, reaisFrom } from '@payments/domain/money';
import { type Static, Type } from '@sinclair/typebox';
import { errors } from '../../errors/errors.ts';
import { readText } from '../../field-values.ts';
import { reasonField } from '../author.ts';

const maxMaxAmount = 1_000_000;
const defaultMaxAmount = 300_000;

const fields = {
  name: Type.String({ minLength: 1, maxLength: 200 }),
  feePercent: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: 100 }), Type.Null()])),
  feeFixed: Type.Optional(Type.Union([Type.Number({ minimum: 0, maximum: maxMaxAmount }), Type.Null()])),
  maxAmount: Type.Optional(Type.Union([Type.Number({ minimum: 5, maximum: maxMaxAmount }), Type.Null()])),
  reviewAbove: Type.Optional(
    Type.Union([Type.Number({ minimum: 0.01, maximum: maxMaxAmount }), Type.Null()]),
  ),
  reason: reasonField,
};

export const NewStoreBody = Type.Object(fields);
export const StoreChangeBody = Type.Object({
  ...fields,
  name: Type.Optional(Type.Union([fields.name, Type.Null()])),
  active: Type.Optional(Type.Union([Type.Boolean(), Type.Null()])),
});

/**
 * Reads what a body says of a store; amounts become centavos, percentages millionths. What is absent stays absent.
 * @throws ApiError 400 for an amount with more than two decimals, or a percentage with more than four
 */
export function readStoreFields(body: Static<typeof StoreChangeBody>): StoreChange {
  const change: StoreChange = {};
  if (typeof body.name === 'string') change.name = readName(body.name);
  if (typeof body.active === 'boolean') change.active = body.active;
  if (body.feePercent !== undefined) change.feePpm = body.feePercent === null ? null : ppm(body.feePercent);
  if (body.feeFixed !== undefined) change.feeFixed = centavos('feeFixed', body.feeFixed);
  if (body.maxAmount !== undefined)
    change.maxAmount = centavos('maxAmount', body.maxAmount) ?? defaultMaxAmount;
  if (body.reviewAbove !== undefined) change.reviewAbove = centavos('reviewAbove', body.reviewAbove);
  return change;
}

/** @throws ApiError 400 for a name that is blank, or that the database can't hold */
export function readName(name: string): string {
  if (name.trim() === '') throw errors.invalidField('name should not be empty');
  return readText('name', name);
}

/** @returns the highest amount of a store that was given none (spec 8), in centavos */
export function defaultMaximum(): number {
  return defaultMaxAmount;
}

function centavos(name: string, reais: number | null): number | null {
  if (reais === null) return null;
  const value = centavosFrom(reais);
  if (value === undefined) throw errors.invalidField(`${name} must have at most two decimals`);
  return value;
}

function ppm(percent: number): number {
  const value = Math.round(percent * 10_000);
  if (Math.abs(value / 10_000 - percent) > 1e-9)
    throw errors.invalidField('feePercent must have at most four decimals');
  return value;
}

/** @returns a store as the admin API shows it (design 6); amounts in reais */
export function storeView(store: Store) {
  return {
    id: store.id,
    name: store.name,
    active: store.active,
    feePercent: store.feePpm === null ? null : store.feePpm / 10_000,
    feeFixed: store.feeFixed === null ? null : reaisFrom(store.feeFixed),
    maxAmount: reaisFrom(store.maxAmount),
    reviewAbove: store.reviewAbove === null ? null : reaisFrom(store.reviewAbove),
    createdAt: store.createdAt.toISOString(),
  };
}
