import t from 'tap';
import { closingTime } from '../../src/charges/expire.ts';

t.test('an unpaid charge is closed some time after its expiry', async (t) => {
  const expiresAt = new Date('2026-11-23T15:00:00Z');
  const closes = (chargeGraceSeconds: number) => closingTime({ chargeGraceSeconds }, { expiresAt });
  t.same(closes(120), new Date('2026-11-23T15:02:00Z'));
  t.same(closes(0), expiresAt);
});
