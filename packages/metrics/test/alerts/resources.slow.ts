import { connect } from '@payments/database/connection';
import { migrateToLatest } from '@payments/database/migrate';
import { startOwnPostgres } from '@payments/testing/postgres-server';
import pg from 'pg';
import t from 'tap';
import { startMonitored } from '../monitored-system.ts';

t.test('PostgreSQL is stopped: requests fail, scans fail, a scrape does not wait', async (t) => {
  const postgres = await startOwnPostgres();
  t.teardown(() => postgres.remove());
  const database = connect(postgres.url);
  await migrateToLatest(database);
  await database.destroy();
  const { charge, monitoring, untilFiring, untilQuiet } = await startMonitored(t, {
    DATABASE_URL: postgres.url,
  });
  await charge();
  t.same(await monitoring.allFiring(), []);

  await postgres.stop();
  await untilFiring('PaymentsDatabaseDown');
  const samples = await monitoring.scrape();
  t.notOk(
    samples.some(({ name }) => name === 'payments_reviews_waiting'),
    'an unknown value is not shown',
  );
  await charge();
  await charge();
  await untilFiring('PaymentsErrors');
  await untilFiring('PaymentsScanFailing');

  await postgres.start();
  await untilQuiet('PaymentsDatabaseDown');
});

t.test('a lock blocks every connection', async (t) => {
  const { system, charge, untilFiring, untilQuiet } = await startMonitored(t, { DATABASE_POOL_SIZE: '2' });
  const other = new pg.Client({ connectionString: system.env.DATABASE_URL });
  await other.connect();
  await other.query('begin');
  await other.query('lock table payments in access exclusive mode');
  const charges = Promise.all([charge(), charge(), charge(), charge()]);
  await untilFiring('PaymentsPoolExhausted');
  await other.query('commit');
  await other.end();
  await charges;
  await untilQuiet('PaymentsPoolExhausted');
});

t.test('the event loop is blocked', async (t) => {
  const { untilFiring, untilQuiet } = await startMonitored(t);
  await untilQuiet('PaymentsEventLoopBlocked');
  for (let turn = 0; turn < 3; turn += 1) {
    const until = performance.now() + 900;
    while (performance.now() < until);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await untilFiring('PaymentsEventLoopBlocked');
  await untilQuiet('PaymentsEventLoopBlocked');
});

t.test('the clock of the machine is off: each process says so', async (t) => {
  let aheadMs = 0;
  const { monitoring, untilFiring, untilQuiet } = await startMonitored(t, {}, {}, () => Date.now() + aheadMs);
  t.same(await monitoring.firing('PaymentsClockOff'), []);
  for (const offMs of [3_600_000, -3_600_000]) {
    aheadMs = offMs;
    await untilFiring('PaymentsClockOff');
    aheadMs = 0;
    await untilQuiet('PaymentsClockOff');
  }
});
