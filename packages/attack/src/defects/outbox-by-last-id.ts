import type { Defect } from './defect.ts';

/**
 * The sweep continues after the last published id, and skips smaller ones. That shows after NATS was down: new events
 * are published first and pass the waiting ones.
 */
export const outboxByLastId: Defect = {
  name: 'outbox read by id > last',
  edits: [
    {
      file: 'packages/database/src/events/outbox.ts',
      find: 'select event_id from outbox where event_id <',
      replace: `select event_id from outbox where event_id > coalesce((select id from events e
          where not exists (select from outbox o where o.event_id = e.id) order by id desc limit 1),
          '00000000-0000-0000-0000-000000000000') and event_id <`,
    },
  ],
  faults: ['nats-killed', 'api-killed'],
  seconds: 30,
  rate: 12,
  breaks: [{ promise: 2, says: /never published/ }],
};
