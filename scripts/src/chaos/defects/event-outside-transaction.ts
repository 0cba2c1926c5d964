import type { Defect } from './defect.ts';

/** The event of a change is written after the change is committed: a crash in between loses it. */
export const eventOutsideTransaction: Defect = {
  name: 'event outside the transaction',
  edits: [
    {
      file: 'packages/database/src/status-changes.ts',
      find: `  await insertEvent(trx, change, changed, event);
  eventWritten(trx, event);`,
      replace:
        '  setTimeout(() => void insertEvent(outside(), change, changed, event).catch(() => {}), 250);',
    },
    {
      file: 'packages/database/src/status-changes.ts',
      find: "import { countMove } from './payment-counts.ts';",
      replace: `import { connect } from './connection.ts';
import { countMove } from './payment-counts.ts';

let own: ReturnType<typeof connect> | undefined;
const outside = () => {
  own ??= connect(process.env.DATABASE_URL ?? '');
  return own;
};`,
    },
  ],
  faults: ['api-killed', 'dispatcher-killed', 'postgres-connection-cut', 'postgres-connection-slow'],
  pauseSeconds: [0.5, 2],
  seconds: 60,
  rate: 15,
  breaks: [{ promise: 2, says: /its last event says|does not have that|has the sequence/ }],
};
