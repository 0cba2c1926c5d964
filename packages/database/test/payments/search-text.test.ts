import { sql } from 'kysely';
import t from 'tap';
import { containsText } from '../../src/payments/search-text.ts';
import { openDatabase } from '../rows.ts';

t.test('a text without a trigram is looked for in the table, any other by the index', async (t) => {
  const { db } = await openDatabase(t, { poolSize: 1 });
  await sql`set enable_seqscan = off`.execute(db);
  const usesIndex = async (text: string) => {
    const found = db.selectFrom('payments').select('id').where(containsText(text));
    const plan = await found.explain<{ 'QUERY PLAN': string }>('text');
    return plan.some((line) => /Index Cond: .*~~/.test(line['QUERY PLAN']));
  };
  for (const text of ['abc', '123', 'a-123', 'ção', '%abc%']) t.equal(await usesIndex(text), true, text);
  for (const text of ['a', 'ab', 'ß', '12', '%', 'a-b', 'a b c', '---'])
    t.equal(await usesIndex(text), false, text);
});
