import type { Defect } from './defect.ts';

/**
 * The sweep goes on from the last id that was published: whatever is below it is skipped. While all goes well nothing is
 * left to be swept; after NATS was away, what is committed since is published first, and so passes what was left.
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
