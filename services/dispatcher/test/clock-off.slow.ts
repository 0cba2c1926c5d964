import { Writable } from 'node:stream';
import { call } from '@payments/testing/http';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';

const dayMs = 24 * 3_600_000;

type Line = { level: number; msg: string; differenceSeconds?: number };

t.test('a machine whose clock is 30 days ahead sells and delivers, and runs no timed work', async (t) => {
  const lines: Line[] = [];
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  let [aheadMs, looks] = [30 * dayMs, 0];
  const wallClock = () => {
    looks += 1;
    return Date.now() + aheadMs;
  };
  const system = await startSystem({ dispatcher: false, wallClock, log: pino(output) });
  t.teardown(system.stop);
  const dispatcher = await system.startDispatcher();
  t.teardown(dispatcher.close);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const metrics = async (url = `http://127.0.0.1:${dispatcher.port}`) => (await call(`${url}/metrics`)).text;
  const said = (pattern: RegExp) => lines.filter(({ msg }) => pattern.test(msg));

  for (const url of [`http://127.0.0.1:${dispatcher.port}`, system.adminUrl])
    t.match(await metrics(url), /^payments_clock_difference_seconds 25\d{5}/m);
  t.match(said(/clock/), [
    { level: 50, msg: /no timed work runs/, differenceSeconds: 30 * 86_400 },
    { level: 50, msg: /no timed work runs/ },
  ]);

  const store = await system.createStore();
  const charge = async () => {
    const body = { amount: 10, webhookUrl: receiver.url };
    return (await system.api('/api-public/payments', { token: store.token, body })).body;
  };
  const inReview = await charge();
  t.ok(Math.abs(Date.parse(inReview.createdAt) - Date.now()) < 60_000, 'created by PostgreSQL’s clock');
  await system.bank('/bank/pay', { pixCopiaECola: inReview.qrCopyPaste, valor: '5.00' });
  await system.waitForStatus(store, inReview.id, 'review');
  await receiver.waitForCount(2);
  await system.bank('/bank/faults', { dropCallbacks: true });
  const untold = await charge();
  await system.bank('/bank/pay', { pixCopiaECola: untold.qrCopyPaste });

  // The two processes look every two seconds, and scans are due every second.
  const seen = looks;
  await eventually('the clocks to be compared some more', async () => looks > seen + 5 || undefined);
  t.notMatch(await metrics(), /payments_scan_runs_total\{/);
  t.match((await system.api(`/api-public/payments/${untold.id}`, { token: store.token })).body, {
    status: 'pending',
  });
  t.equal(said(/clock/).length, 2, 'it is told once by each process');

  aheadMs = 0;
  await system.waitForStatus(store, untold.id, 'approved');
  const run = /^payments_scan_runs_total\{scan="missed-pix",bank="default",outcome="done"\} [1-9]/m;
  // A run is counted after its result can be seen.
  await eventually('the run to be counted', async () => run.test(await metrics()) || undefined);
  t.match(await metrics(), /^payments_clock_difference_seconds -?(0|\d\.\d+|\d)/m);
  t.match(said(/agree again/)[0], { level: 30 });
  t.match((await system.admin(`/admin/payments/${inReview.id}`)).body, { status: 'review', refunds: [] });
});
