import type { Defect } from './defect.ts';

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
