/** The deeds that a test store asks of the simulated bank, each on one of its payments (Contract: test stores). */
export const testDeeds = ['pay', 'pay_other_amount', 'pay_late', 'pay_twice', 'take_back'] as const;
export type TestDeed = (typeof testDeeds)[number];

/**
 * @param given in centavos; undefined if the request names none
 * @returns what a deed pays, in centavos; for `take_back` undefined is all that is left
 */
export function amountOfDeed(deed: TestDeed, charged: number, given: number | undefined): number | undefined {
  if (given !== undefined || deed === 'take_back') return given;
  return deed === 'pay_other_amount' ? charged + 100 : charged;
}
