import type { Defect } from './defect.ts';

/** A MED is recorded, but the payment keeps its amount. */
export const medIgnored: Defect = {
  name: 'MED ignored',
  edits: [
    {
      file: 'packages/domain/src/refunds.ts',
      find: "const isMade = ({ state }: RefundRecord) => state === 'refunded';",
      replace:
        "const isMade = ({ state, origin }: RefundRecord) => state === 'refunded' && origin === 'service';",
    },
  ],
  faults: ['dispatcher-killed'],
  seconds: 40,
  rate: 15,
  breaks: [{ promise: 11, says: /where the bank (has|had) |nothing left/ }],
};
