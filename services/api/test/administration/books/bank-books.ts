import { dayOf } from '@payments/domain/days';
import type { TestSystem } from '@payments/testing/system';

/** The bank's figures of a day, in centavos. */
export type BankDay = { pixCount: number; pixAmount: number; refundCount: number; refundAmount: number };

/** @returns the bank's own books by day, read from its ledger */
export function bankBooks({ simulator }: TestSystem): Map<string, BankDay> {
  const books = new Map<string, BankDay>();
  const day = (moment: number): BankDay => {
    const date = dayOf(new Date(moment));
    const found = books.get(date) ?? { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
    books.set(date, found);
    return found;
  };
  for (const { amount, paidAt, refunds } of simulator.bank.ledger.pix.values()) {
    const paid = day(paidAt);
    paid.pixCount += 1;
    paid.pixAmount += amount;
    for (const refund of refunds.filter(({ status }) => status === 'DEVOLVIDO')) {
      const made = day(refund.settlesAt);
      made.refundCount += 1;
      made.refundAmount += refund.amount;
    }
  }
  return books;
}

/** @returns what the bank still holds of all Pix, in centavos */
export function heldByBank(books: ReadonlyMap<string, BankDay>): number {
  return [...books.values()].reduce((sum, day) => sum + day.pixAmount - day.refundAmount, 0);
}
