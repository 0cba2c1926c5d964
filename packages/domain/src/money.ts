/** The service holds BRL as an integer number of centavos. JSON at its edges has numbers in reais. */

/**
 * Reads an amount in reais as a client sends it.
 * @returns centavos, or undefined for a value that is not a finite number or has more than two decimals
 */
export function centavosFrom(reais: unknown): number | undefined {
  if (typeof reais !== 'number' || !Number.isFinite(reais)) return undefined;
  // The shortest text of a double with two decimals has two. Arithmetic would fail: 8.2 * 100 = 819.9999….
  if (!/^-?\d+(\.\d{1,2})?$/.test(String(reais))) return undefined;
  const centavos = Math.round(reais * 100);
  return Number.isSafeInteger(centavos) ? centavos : undefined;
}

/** @returns the amount in reais, for a JSON response */
export function reaisFrom(centavos: number): number {
  return centavos / 100;
}

/** @returns `5,00` for 500 centavos, the form of amounts in messages (Contract: messages) */
export function formatReais(centavos: number): string {
  return (centavos / 100).toFixed(2).replace('.', ',');
}
