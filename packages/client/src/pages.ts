import type { Payment, PaymentList } from './types.ts';

const largestPage = 200;

/**
 * Goes through all pages. Payments that are made meanwhile push others onto the next page: those are not given twice.
 * @param read reads one page
 */
export async function* eachPayment(
  read: (page: { page: number; limit: number }) => Promise<PaymentList>,
): AsyncGenerator<Payment, void, undefined> {
  let previous = new Set<string>();
  for (let page = 1; ; page += 1) {
    const { items } = await read({ page, limit: largestPage });
    for (const payment of items) {
      if (!previous.has(payment.id)) yield payment;
    }
    previous = new Set(items.map(({ id }) => id));
    if (items.length < largestPage) return;
  }
}
