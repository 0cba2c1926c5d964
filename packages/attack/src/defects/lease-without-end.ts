import type { Defect } from './defect.ts';

/** A dispatcher's claims never end: they are lost with its process. */
export const leaseWithoutEnd: Defect = {
  name: 'lease without an end',
  edits: [
    {
      file: 'packages/database/src/deliveries/leases.ts',
      find: `where id = \${dispatcher} and leased_until > now())`,
      replace: `where id = \${dispatcher})`,
    },
  ],
  faults: ['dispatcher-killed', 'nats-killed'],
  seconds: 45,
  rate: 15,
  breaks: [{ promise: 2, says: /neither delivered nor dead/ }],
};
