import type { Defect } from './defect.ts';

/** The event of a change is written after the change is committed: a crash in between loses it. */
export const eventOutsideTransaction: Defect = {
  name: 'event outside the transaction',
  edits: [
    {
      file: 'packages/database/src/payments/status-changes.ts',
      find: `, event as (
      \${insertEvent(change, changed, event)}
    ) \${insertDelivery(change, changed)}, left_to_publish as (\${leaveToPublish})
    select id from moved`,
      replace: `
    select id from moved`,
    },
    {
      file: 'packages/database/src/payments/status-changes.ts',
      find: `  if (change.by) await recordMove(trx, change.by, change, event);
  eventWritten(trx, event);`,
      replace: `  const write = async () => {
    const late = outside();
    await sql\`
      with moved as (select id, store_id from payments where id = \${payment.id}), event as (
        \${insertEvent(change, changed, event)}
      ) \${insertDelivery(change, changed)} \${leaveToPublish}\`.execute(late);
    if (change.by) await recordMove(late, change.by, change, event);
  };
  setTimeout(() => void write().catch(() => {}), 250);`,
    },
    {
      file: 'packages/database/src/payments/status-changes.ts',
      find: "import { countMove } from './counts.ts';",
      replace: `import { connect } from '../connection.ts';
import { countMove } from './counts.ts';

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
