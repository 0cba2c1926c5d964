import { connect } from '@payments/database/connection';

/**
 * Dates deliveries with their events: PostgreSQL dates them by its own clock, which can't be set. All else has the time
 * of the services' clock.
 * @param since PostgreSQL's time when the month began
 */
export async function dateDeliveries(databaseUrl: string, since: Date): Promise<void> {
  const db = connect(databaseUrl, { poolSize: 1 });
  try {
    await db
      .updateTable('deliveries')
      .from('events')
      .set(({ ref }) => ({ createdAt: ref('events.occurredAt') }))
      .whereRef('events.id', '=', 'deliveries.id')
      .where('deliveries.createdAt', '>=', since)
      .execute();
  } finally {
    await db.destroy();
  }
}
