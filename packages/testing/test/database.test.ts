import pg from 'pg';
import t from 'tap';
import { createTestDatabase } from '../src/database.ts';

const tables = async (url: string) => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'");
  await client.end();
  return rows.map((row) => row.tablename as string);
};

t.test('every database is migrated and separate', async (t) => {
  const [one, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  t.not(one.url, other.url);
  t.ok((await tables(one.url)).includes('payments'));
  t.same((await tables(one.url)).sort(), (await tables(other.url)).sort());
  await Promise.all([one.drop(), other.drop()]);
  await t.rejects(tables(one.url), { code: '3D000' }, 'a dropped one is gone');
});
