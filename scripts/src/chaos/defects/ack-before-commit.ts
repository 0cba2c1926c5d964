import type { Defect } from './defect.ts';

/** The consumer acknowledges an event before the ledger has it: what is lost in between never comes again. */
export const ackBeforeCommit: Defect = {
  name: 'ack before commit',
  edits: [
    {
      file: 'packages/events/src/consume.ts',
      find: '    if (toEnter.size > 0) await inSpans(batch, () => enter([...toEnter] as string[]));',
      replace: `    for (const [index, message] of batch.entries()) answer(message, eventIds[index], true, log);
    if (toEnter.size > 0) await inSpans(batch, () => enter([...toEnter] as string[]));`,
    },
  ],
  faults: ['postgres-killed', 'postgres-connection-cut', 'postgres-connection-slow'],
  seconds: 45,
  rate: 15,
  breaks: [{ promise: 2, says: /only by the scan|has no delivery/ }],
};
