import { createTestDatabase } from '@payments/testing/database';
import pg from 'pg';
import t from 'tap';
import { findToken, findTokenAndPayment, insertPayment, insertStore } from '../../sides/src/statements.ts';

t.test("the bare side's statements fit the service's schema", async (t) => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await database.drop();
  });
  for (const { name, text } of [insertStore, findToken, findTokenAndPayment, insertPayment])
    await t.resolves(client.query(`prepare "${name}" as ${text}`), name);
});
