import type { Defect } from './defect.ts';

/** The relay goes on from the last id that was published: what commits late under an earlier id is skipped. */
export const outboxByLastId: Defect = {
  name: 'outbox read by id > last',
  edits: [
    {
      file: 'packages/database/src/outbox.ts',
      find: "    .where('published_at', 'is', null)\n    .orderBy('id')",
      replace: `    .where('published_at', 'is', null)
    .where((eb) =>
      eb.or([
        eb.not(eb.exists(eb.selectFrom('events as first').select('first.id').where('first.published_at', 'is not', null))),
        eb('id', '>', (qb) =>
          qb.selectFrom('events as last').select('last.id').where('last.published_at', 'is not', null)
            .orderBy('last.id', 'desc').limit(1)),
      ]),
    )
    .orderBy('id')`,
    },
  ],
  faults: ['postgres-connection-slow'],
  seconds: 30,
  rate: 12,
  breaks: [{ promise: 2, says: /never published|only by the scan/ }],
};
