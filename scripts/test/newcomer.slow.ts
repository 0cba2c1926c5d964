import { startProcessSystem } from '@payments/testing/process-system';
import t from 'tap';
import { startHostedService, useTestStore } from '../src/newcomer/journey.ts';

/** The way of `npm run newcomer -- --test-store`: a test token, a paid payment, a verified webhook, by copying alone. */
t.test('from a test token to a verified webhook by the guide of a hosted service', async (t) => {
  const hosted = await startHostedService({});
  t.teardown(hosted.stop);
  const given = await hosted.openTestStore();
  t.match(given.token, /^pp_test_/);
  for (const path of ['/docs/pt/guide', '/docs/guide']) {
    const { payment, webhook } = await useTestStore('JavaScript', path, await hosted.openTestStore());
    t.ok(payment > 0 && webhook > 0, path);
  }
});

t.test('a step that fails is told with its output', async (t) => {
  const system = await startProcessSystem();
  t.teardown(system.stop);
  const given = { url: system.url, token: 'pp_test_wrong', secret: 'whsec_' };
  await t.rejects(useTestStore('JavaScript', '/docs/guide', given), {
    message: /JavaScript took no payment: .*401/s,
  });
});
