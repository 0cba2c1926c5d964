import type { Defect } from './defect.ts';

/** An approved payment is never worth more than was asked for: what a customer paid too much is told to nobody. */
export const overPaymentAsCharged: Defect = {
  name: 'over-payment approved as charged',
  edits: [
    {
      file: 'packages/domain/src/refunds.ts',
      find: 'return sum(counted(pix).map((one) => leftOf(one, refunds.filter(isMade))));',
      replace:
        'return Math.min(payment.charged, sum(counted(pix).map((one) => leftOf(one, refunds.filter(isMade)))));',
    },
  ],
  faults: ['dispatcher-killed'],
  seconds: 40,
  rate: 15,
  breaks: [{ promise: 11, says: /where the bank (has|had) / }],
};
