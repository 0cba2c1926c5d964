import pg from 'pg';
import t from 'tap';
import { startOwnPostgres } from '../src/postgres-server.ts';

const query = async (url: string, sql: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
};

t.test('an own PostgreSQL restarts on the same address with its rows', async (t) => {
  const server = await startOwnPostgres();
  t.teardown(() => server.remove());
  await query(server.url, 'CREATE TABLE kept AS SELECT 1 AS id');
  for (const end of ['stop', 'kill'] as const) {
    await server[end]();
    await t.rejects(query(server.url, 'SELECT 1'), { code: 'ECONNREFUSED' }, `away after ${end}`);
    await server.start();
    t.same(await query(server.url, 'SELECT id FROM kept'), [{ id: 1 }], `there again after ${end}`);
  }
});
