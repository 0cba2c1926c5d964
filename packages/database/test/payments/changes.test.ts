import { eventIdOf } from '@payments/domain/identifiers';
import t from 'tap';
import { lockPayment } from '../../src/payments/payments.ts';
import { addPayment, addStore, eventsOf, move, openDatabase, setAmount } from '../rows.ts';

t.test('a status is told under the same id, whatever else was told before it', async (t) => {
  const { db } = await openDatabase(t);
  const id = await addPayment(db, await addStore(db));
  await move(db, id, 'approved');
  for (const amount of [700, 400])
    await db.transaction().execute(async (trx) => {
      const payment = await lockPayment(trx, id);
      if (payment) await setAmount(trx, payment, amount);
    });
  await move(db, id, 'not_approved');
  const ids = await eventsOf(db, id);
  t.strictSame(
    [ids[0], ids[1], ids[4]],
    [eventIdOf(id, 1, 'pending'), eventIdOf(id, 2, 'approved'), eventIdOf(id, 3, 'not_approved')],
    'as a restored database tells it that lost what came between',
  );
  t.equal(new Set(ids).size, 5);
});
