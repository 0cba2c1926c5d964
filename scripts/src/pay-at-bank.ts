import { callJson, UnexpectedAnswer } from '@payments/testing/json-client';

type Pay = {
  /** Another amount than the charge's, such as `10.00`. */
  valor?: string;
  /** The bank then refuses every refund of this Pix. */
  refusesRefunds?: boolean;
};

/**
 * Pays a code as a customer, at the simulated bank that the code is of: the others refuse it.
 * @returns the Pix's id, and the bank that has it
 */
export async function payAtBank(
  [bank = '', ...others]: string[],
  pixCopiaECola: string,
  pay: Pay = {},
): Promise<{ endToEndId: string; bank: string }> {
  const paid = callJson<{ endToEndId: string }>(`${bank}/bank/pay`, undefined, { pixCopiaECola, ...pay });
  return paid.then(
    ({ endToEndId }) => ({ endToEndId, bank }),
    (error: unknown) => {
      const isOfAnother = error instanceof UnexpectedAnswer && error.status < 500 && others.length > 0;
      if (!isOfAnother) throw error;
      return payAtBank(others, pixCopiaECola, pay);
    },
  );
}
