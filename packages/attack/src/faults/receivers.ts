import type { Fault, Undo } from './fault.ts';

export const receiverFaults: Fault[] = [
  {
    name: 'receivers-down',
    lasts: [2, 6],
    targets: ({ receivers }) => [
      {
        name: 'receivers',
        kind: 'receivers',
        hit: async (): Promise<Undo> => {
          receivers.fail(true);
          return async () => receivers.fail(false);
        },
      },
    ],
  },
];
