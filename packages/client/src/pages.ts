import type { Payment, PaymentList } from './types.ts';

const largestPage = 200;

/**
 * Goes through the whole list. Every read begins behind the last payment that was given, so none is skipped or given
 * twice, whatever is created or changes its status meanwhile.
 * @param read reads what follows a payment, or the list's beginning
 */
export async function* eachPayment(
  read: (from: { after?: string; limit: number }) => Promise<PaymentList>,
): AsyncGenerator<Payment, void, undefined> {
  let items: Payment[] = [];
  do {
    const last = items.at(-1);
    ({ items } = await read({ limit: largestPage, ...(last && { after: last.id }) }));
    yield* items;
  } while (items.length === largestPage);
}
