import type { Bank, Banks } from '@payments/pix/banks';
import { Type } from '@sinclair/typebox';
import { type Conditions, field, wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';

type HasBanks = { banks: Pick<Banks, 'all'> };

export const bankQuery = {
  bank: Type.Optional(Type.String({ description: 'Only this bank’s, by its id.' })),
};

export const ofBank: Conditions = {
  bankUnknown: field('bank', rules.oneOf(['default']), '`bank` is not a configured bank.'),
};

/** @throws ApiError 400 for a bank that is not configured */
export function readBank({ banks }: HasBanks, id: unknown): Bank {
  const bank = banks.all().find((one) => one.id === id);
  if (!bank) throw wrongField('bank', rules.oneOf(banks.all().map((one) => one.id)));
  return bank;
}

/**
 * Reads the bank of a filter.
 * @throws ApiError 400 for a bank that is not configured
 */
export function readBankFilter(context: HasBanks, { bank }: Record<string, unknown>): { bank?: string } {
  return bank === undefined ? {} : { bank: readBank(context, bank).id };
}
