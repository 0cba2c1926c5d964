import type { IncomingMessage } from 'node:http';
import { startSystem, type TestSystem } from '@payments/testing/system';
import t from 'tap';

/** Waits for the dispatcher's next scan to reach the bank. */
const nextScan = ({ simulator }: TestSystem) =>
  new Promise<void>((resolve) => {
    const look = ({ url }: IncomingMessage) => {
      if (!url?.startsWith('/pix?')) return;
      simulator.server.off('request', look);
      resolve();
    };
    simulator.server.on('request', look);
  });

const habits: [name: string, faults: object, forgetsAt: number[]][] = [
  ['where a new token ends the older one, API and dispatcher both go on', { oneTokenPerClient: true }, []],
  ['a bank that forgets its tokens twice in a minute costs no sale', {}, [3, 6]],
];
for (const [name, faults, forgetsAt] of habits)
  t.test(name, async (t) => {
    const system = await startSystem();
    t.teardown(() => system.stop());
    const store = await system.createStore();
    if (Object.keys(faults).length > 0) await system.bank('/bank/faults', faults);
    for (let sale = 0; sale < 8; sale += 1) {
      if (forgetsAt.includes(sale)) await fetch(`${system.bankUrl}/bank/tokens`, { method: 'DELETE' });
      const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
      t.ok(body.qrCopyPaste, `sale ${sale} has its code at once`);
      await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
      await system.waitForStatus(store, body.id, 'approved');
      await nextScan(system);
    }
  });
