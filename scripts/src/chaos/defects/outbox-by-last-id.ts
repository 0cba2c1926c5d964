import type { Defect } from './defect.ts';

/** The relay goes on from the last id that was published: what commits late under an earlier id is skipped. */
export const outboxByLastId: Defect = {
  name: 'outbox read by id > last',
  edits: [
    {
      file: 'packages/database/src/outbox.ts',
      find: 'select event_id from outbox order by event_id limit',
      replace: `select event_id from outbox where event_id > coalesce((select id from events e
          where not exists (select from outbox o where o.event_id = e.id) order by id desc limit 1),
          '00000000-0000-0000-0000-000000000000') order by event_id limit`,
    },
  ],
  faults: ['postgres-connection-slow'],
  seconds: 30,
  rate: 12,
  breaks: [{ promise: 2, says: /never published|only by the scan/ }],
};
