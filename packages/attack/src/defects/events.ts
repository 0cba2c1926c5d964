import type { Defect } from './defect.ts';

/** The feed shows what is committed, by place alone: a reader passes what a slower transaction has yet to commit. */
export const feedWithoutHorizon: Defect = {
  name: 'feed without its horizon',
  edits: [
    {
      file: 'packages/database/src/events/feed.ts',
      find: ' and place < feed_horizon()',
      replace: '',
    },
  ],
  faults: ['postgres-connection-slow', 'api-killed'],
  pauseSeconds: [0.5, 2],
  seconds: 45,
  rate: 40,
  breaks: [{ promise: 13, says: /the feed of .* skipped/ }],
};

/**
 * The sweep continues after the last published event, and skips older ones. That shows after NATS was down: new events
 * are published first and pass the waiting ones.
 */
export const outboxByLastId: Defect = {
  name: 'outbox read by time > last',
  edits: [
    {
      file: 'packages/database/src/events/outbox.ts',
      find: 'select event_id from outbox where created_at <',
      replace: `select event_id from outbox where created_at > coalesce((select max(occurred_at) from events e
          where not exists (select from outbox o where o.event_id = e.id)), to_timestamp(0)) and created_at <`,
    },
  ],
  faults: ['nats-killed', 'api-killed'],
  seconds: 30,
  rate: 12,
  breaks: [{ promise: 2, says: /never published/ }],
};

/** Writes a change's event after its commit: a crash in between loses the event. */
export const eventOutsideTransaction: Defect = {
  name: 'event outside the transaction',
  edits: [
    {
      file: 'packages/database/src/payments/payment-events.ts',
      find: `  const [written] = await run<{ hasDelivery: boolean }>(trx, changing(Object.keys(changed)), [
    JSON.stringify({ ...changed, id: payment.id }),
    JSON.stringify(eventRowOf(event)),
  ]);
  if (written) eventWritten(trx, { ...event.committed, ...written });
  return written !== undefined;`,
      replace: `  const rows = [JSON.stringify({ ...changed, id: payment.id }), JSON.stringify(eventRowOf(event))];
  const text = changing(Object.keys(changed));
  const [update = ''] = /update payments[^]*?events - 1/.exec(text) ?? [];
  const moved = await run<{ id: string }>(trx, \`\${update} returning p.id\`, rows.slice(0, 1));
  const late = text.replace('p.events = n.events - 1', 'p.events = n.events');
  setTimeout(() => void run(outside(), late, rows).catch(() => {}), 250);
  return moved.length > 0;`,
    },
    {
      file: 'packages/database/src/payments/payment-events.ts',
      find: "import { eventWritten } from '../transaction.ts';",
      replace: `import { connect } from '../connection.ts';

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
