import type { ChangedValues } from '@payments/database/record/change-actions';
import type { Change } from '@payments/database/record/changes';
import { reaisFrom } from '@payments/domain/money';

const amounts = new Set(['feeFixed', 'maxAmount', 'reviewAbove', 'amount']);

/** @returns a change as the admin API shows it: amounts in reais, fees in percent */
export function changeView({ from, to, ...change }: Change) {
  return { ...change, from: from && shown(from), to: to && shown(to) };
}

function shown(values: ChangedValues): ChangedValues {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => field(name, value)));
}

function field(name: string, value: ChangedValues[string]): [string, ChangedValues[string]] {
  if (name === 'feePpm') return ['feePercent', typeof value === 'number' ? value / 10_000 : value];
  return [name, typeof value === 'number' && amounts.has(name) ? reaisFrom(value) : value];
}
