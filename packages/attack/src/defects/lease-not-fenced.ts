import type { Defect } from './defect.ts';

/**
 * Whoever lost a lease still records its outcome over that of whoever took it over: a delivery that was delivered is
 * attempted again, and of two attempts one is shown.
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
