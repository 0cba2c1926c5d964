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
