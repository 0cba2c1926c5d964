import type { Defect } from './defect.ts';

/**
 * Whoever lost a lease still records its outcome over that of whoever took it over: a delivery that was delivered is
 * attempted again, and of two attempts one is shown.
 */
export const leaseNotFenced: Defect = {
  name: 'lease not fenced',
  edits: [
    {
      file: 'packages/database/src/deliveries/attempts.ts',
      find: `where d.id = o.id and \${isHeld('d', 'o')}
      returning d.id`,
      replace: 'where d.id = o.id\n      returning d.id',
    },
  ],
  faults: ['dispatcher-frozen'],
  seconds: 75,
  pauseSeconds: [6, 10],
  rate: 20,
  breaks: [{ promise: 3, says: /attempted again|the ledger shows/ }],
};
