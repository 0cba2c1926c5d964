import { type BadReceiver, startBadReceiver, tempers } from '@payments/testing/bad-receivers';
import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openShop } from './scene.ts';
import { firstVisits, watchReceiver } from './watched-receiver.ts';

const badOnes = 50;
const rounds = 6;
const mostMegabytes = 350;
// A hanging receiver hangs for longer than this test waits: a webhook that arrives did not wait for its end.
const hanging = { WEBHOOK_TIMEOUT_MS: '120000', WEBHOOK_RETRY_SECONDS: '1,2,4,8,16' };

t.test(
  'a healthy receiver is served among fifty that hang, drip, reset, fail, flood, redirect or are missing',
  async (t) => {
    const system = await startProcessSystem({
      env: hanging,
    });
    t.teardown(system.stop);
    const [bad, good] = [await openShop(system), await openShop(system)];
    const receivers = await Promise.all(
      Array.from({ length: badOnes }, (_, index) =>
        startBadReceiver(tempers[index % tempers.length] ?? 'hangs'),
      ),
    );
    for (const receiver of receivers) t.teardown(receiver.close);
    const healthy = await watchReceiver(t);
    const megabytes = async () => {
      const metrics = await fetch(`http://127.0.0.1:${system.dispatchers[0]?.port}/metrics`);
      const [, bytes] = /^process_resident_memory_bytes (\d+)/m.exec(await metrics.text()) ?? [];
      return Math.round(Number(bytes) / 1_048_576);
    };

    const payments: { id: string }[] = [];
    const memory: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      await bad.chargeMany(2 * badOnes, (index) => receivers[index % badOnes]?.url ?? '');
      const fresh = await good.chargeMany(5, () => healthy.at('/'));
      payments.push(...fresh);
      await Promise.all(fresh.map((payment) => good.move(payment, 'not_approved')));
      memory.push(await megabytes());
    }
    await healthy.until(() => healthy.visits.length >= 2 * payments.length);
    memory.push(await megabytes());

    for (const payment of payments) {
      const [created, changed, ...more] = firstVisits(healthy.of(payment));
      t.same([created?.json.status, changed?.json.status, more.length], ['pending', 'not_approved', 0]);
    }
    t.equal(healthy.visits.length, 2 * payments.length, 'each of them once');
    t.ok(Math.max(...memory) < mostMegabytes, `${Math.max(...memory)} MB`);

    const ofTemper = (...wanted: BadReceiver['temper'][]) =>
      receivers.filter(({ temper }) => wanted.includes(temper));
    for (const receiver of receivers) {
      t.ok(receiver.mostAtOnce() <= 4, `one that ${receiver.temper} had ${receiver.mostAtOnce()} at a time`);
      if (receiver.temper !== 'resolves to nothing') t.ok(receiver.requests() > 0);
    }
    const quick = ofTemper('answers 500', 'resets', 'redirects inward');
    await eventually('the breakers of those that fail quickly to open', async () => {
      const { body } = await system.admin('/admin/endpoints');
      const open = body.items.filter(({ phase }: { phase: string }) => phase !== 'closed');
      const urls = new Set(open.map(({ url }: { url: string }) => url));
      return quick.every(({ url }) => urls.has(url)) || undefined;
    });
    const { body } = await system.admin('/admin/endpoints');
    const shown = new Set(body.items.map(({ url }: { url: string }) => url));
    t.notOk(shown.has(healthy.at('/')));
    t.notOk(
      ofTemper('answers 1 GB').some(({ url }) => shown.has(url)),
      'what pours has answered 200',
    );
  },
);
