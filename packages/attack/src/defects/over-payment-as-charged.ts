import type { Defect } from './defect.ts';

/** An approved payment shows at most the charged amount: a customer's excess is shown nowhere. */
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
