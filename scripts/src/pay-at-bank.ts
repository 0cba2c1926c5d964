import { callJson, UnexpectedAnswer } from '@payments/testing/json-client';

/**
 * Pays a code as a customer, at the simulated bank that the code is of: the others refuse it.
 * @param valor another amount than the charge's, such as `10.00`
 */
export async function payAtBank(
  [bank, ...others]: string[],
  pixCopiaECola: string,
  valor?: string,
): Promise<unknown> {
  const body = { pixCopiaECola, ...(valor !== undefined && { valor }) };
  return callJson(`${bank}/bank/pay`, undefined, body).catch((error: unknown) => {
    const isOfAnother = error instanceof UnexpectedAnswer && error.status < 500 && others.length > 0;
    if (!isOfAnother) throw error;
    return payAtBank(others, pixCopiaECola, valor);
  });
}
