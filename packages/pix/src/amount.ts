/** The most that `\d{1,10}\.\d{2}` can hold (API Pix 2.9), in centavos. */
const MAX_CENTAVOS = 999_999_999_999;

/**
 * Centavos to the PSP's notation: 789 becomes `"7.89"` (API Pix 2.9, `\d{1,10}\.\d{2}`).
 * Throws a RangeError for anything but a whole, positive number of centavos in range.
 */
export function formatAmount(centavos: number): string {
  if (!Number.isInteger(centavos) || centavos <= 0 || centavos > MAX_CENTAVOS) {
    throw new RangeError('an amount must be a whole number of centavos, above zero');
  }
  const digits = String(centavos).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}

/**
 * A PSP's amount to centavos, exactly and by its digits: `"7.89"` becomes 789. Some PSPs send `"7.8"`, `"7"`
 * or a JSON number; those are read too. Null when it is no amount, or has a fraction of a centavo.
 */
export function parseAmount(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return null;
  const match = /^(\d{1,10})(?:\.(\d{1,2})0*)?$/.exec(text.trim());
  if (!match?.[1]) return null;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}
