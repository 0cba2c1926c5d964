/** BRL is held as an integer number of centavos everywhere inside; JSON numbers in reais exist only at the edges. */

/**
 * Reads an amount in reais as a client sends it.
 * @returns centavos, or undefined where the value is not a finite number or has more than two decimals
 */
export function centavosFrom(reais: unknown): number | undefined {
  if (typeof reais !== 'number' || !Number.isFinite(reais)) return undefined;
  // A double of at most two decimals prints with at most two; asking its shortest text avoids 8.2 * 100 = 819.9999….
  if (!/^-?\d+(\.\d{1,2})?$/.test(String(reais))) return undefined;
  const centavos = Math.round(reais * 100);
  return Number.isSafeInteger(centavos) ? centavos : undefined;
}

/** @returns the amount in reais, for a JSON answer */
export function reaisFrom(centavos: number): number {
  return centavos / 100;
}

/** @returns `5,00` for 500 centavos, as messages write amounts (Contract: messages) */
export function formatReais(centavos: number): string {
  return (centavos / 100).toFixed(2).replace('.', ',');
}
