import t from 'tap';
import { startSimulator } from '../src/simulator.ts';

t.test('each caller gets its own bank', async (t) => {
  const bank = await startSimulator();
  t.equal((await fetch(`${bank.url}/health/live`)).status, 200);
  await bank.close();
  await t.rejects(fetch(`${bank.url}/health/live`));
});
