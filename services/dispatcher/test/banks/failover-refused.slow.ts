import t from 'tap';
import { proveFailover } from './failover.ts';

t.setTimeout(600_000);

t.test('the first bank refuses: with 503, then our credentials', { timeout: 600_000 }, async (t) => {
  await proveFailover(t, [
    ['answers 503', { status: 503 }],
    ['answers 401', { status: 401 }],
  ]);
});
