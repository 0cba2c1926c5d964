import type { Defect } from './defect.ts';

/**
 * A dispatcher without its lease overwrites the outcome of the next one. A delivered delivery is attempted again, and
 * one of two attempts is missing.
 */
export const leaseNotFenced: Defect = {
  name: 'lease not fenced',
  edits: [
    {
      file: 'packages/database/src/deliveries/record.ts',
      find: 'where d.id = o.id and d.claimed_by = o.claimed_by and d.attempts = o.attempt',
      replace: 'where d.id = o.id',
    },
  ],
  faults: ['dispatcher-frozen'],
  seconds: 75,
  pauseSeconds: [6, 10],
  rate: 20,
  breaks: [{ promise: 3, says: /attempted again|the ledger shows/ }],
};
