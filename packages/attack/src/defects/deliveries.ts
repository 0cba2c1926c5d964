import type { Defect } from './defect.ts';

/** Slots are shared among endpoints alone: a store with many URLs takes them all. */
export const fairByEndpoint: Defect = {
  name: 'fair by endpoint alone',
  edits: [
    {
      file: 'services/dispatcher/src/deliveries/slots.ts',
      find: '.map((delivery) => ({ ...delivery, standing: standingOf(delivery) }))',
      replace:
        '.map((delivery) => ({ ...delivery, storeId: delivery.endpoint, standing: standingOf(delivery) }))',
    },
  ],
  faults: ['one-store-hangs-everywhere'],
  seconds: 45,
  rate: 15,
  breaks: [{ promise: 9, says: /while one store’s receivers hung/ }],
};

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

/** A mail or post whose answer was lost or bad counts as sent: whoever did not get it is never told. */
export const lostAnswerCountsAsSent: Defect = {
  name: 'lost answer counts as sent',
  edits: [
    {
      file: 'services/dispatcher/src/notices/tries.ts',
      find: "  if (result.state === 'sent') await endMail(",
      replace: "  if (result.state === 'sent' || result.state === 'unknown') await endMail(",
    },
  ],
  faults: ['mail-refuses', 'mail-killed'],
  seconds: 45,
  rate: 15,
  breaks: [{ promise: 14, says: /heard nothing of/ }],
};
