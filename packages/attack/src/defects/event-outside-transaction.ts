import type { Defect } from './defect.ts';

/** Writes a change's event after its commit: a crash in between loses the event. */
export const eventOutsideTransaction: Defect = {
  name: 'event outside the transaction',
  edits: [
    {
      file: 'packages/database/src/payments/changes.ts',
      find: `    .with('event', () => insertEvents([event]))
    .with('waited_for', () => unattempted(payment))
    .with('delivery', () => insertDeliveriesOfEvents(sql<boolean>\`not exists (select from waited_for)\`))
    .with('left_to_publish', () => sql\`(\${leaveToPublish})\`)
    .selectFrom('event')
    .select('paymentId')`,
      replace: `    .selectFrom('payment')
    .select('id')`,
    },
    {
      file: 'packages/database/src/payments/changes.ts',
      find: `  if (change.by) await recordMove(trx, change.by, change, event.committed.event.id);
  eventWritten(trx, event.committed);`,
      replace: `  const write = async () => {
    const late = outside();
    await late
      .with('payment', (db) => db.selectFrom('payments').select(['id', 'storeId', 'webhookUrl']).where('id', '=', payment.id))
      .with('event', () => insertEvents([event]))
      .with('waited_for', () => unattempted(payment))
      .with('delivery', () => insertDeliveriesOfEvents(sql<boolean>\`not exists (select from waited_for)\`))
      .with('left_to_publish', () => sql\`(\${leaveToPublish})\`)
      .selectFrom('event')
      .select('paymentId')
      .execute();
    if (change.by) await recordMove(late, change.by, change, event.committed.event.id);
  };
  setTimeout(() => void write().catch(() => {}), 250);`,
    },
    {
      file: 'packages/database/src/payments/changes.ts',
      find: "import { eventWritten } from '../transaction.ts';",
      replace: `import { connect } from '../connection.ts';
import { eventWritten } from '../transaction.ts';

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
