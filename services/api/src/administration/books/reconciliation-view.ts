import type { DayFigures, Difference } from '@payments/domain/compare-day';
import { reaisFrom } from '@payments/domain/money';
import type { ComparedDay } from './check.ts';

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

function differenceView({ bankAmount, ourAmount, ...difference }: Difference) {
  return {
    ...difference,
    ...(bankAmount !== undefined && { bankAmount: reaisFrom(bankAmount) }),
    ...(ourAmount !== undefined && { ourAmount: reaisFrom(ourAmount) }),
  };
}
