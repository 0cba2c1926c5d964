import type { Payment, PaymentList } from './types.ts';

const largestPage = 200;

/**
 * Yields the whole list. Each read starts after the last payment, so that none is skipped or repeated while payments
 * are created or change.
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
