import type { Defect } from './defect.ts';

/** What is reserved for the process that is told of it stays so for ever: with that process it is lost. */
export const reservationWithoutEnd: Defect = {
  name: 'reservation without an end',
  edits: [
    {
      file: 'packages/database/src/deliveries/reserved.ts',
      find: 'const reservedForMs = 10_000;',
      replace: 'const reservedForMs = 86_400_000;',
    },
  ],
  faults: ['dispatcher-killed', 'nats-killed'],
  seconds: 45,
  rate: 15,
  breaks: [{ promise: 2, says: /neither delivered nor dead/ }],
};
