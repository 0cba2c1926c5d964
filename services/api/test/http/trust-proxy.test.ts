import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { call } from '@payments/testing/http';
import { startSystem, type TestSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { startApi } from '../../src/api.ts';
import { apiSettings } from '../../src/settings.ts';
import { panelClient } from '../administration/panel-client.ts';

/** `TRUST_PROXY` decides the address that limits count. The limit here is two unknown tokens a minute. */
async function behind(t: Test, trust: string): Promise<TestSystem> {
  const system = await startSystem({
    dispatcher: false,
    env: { RATE_LIMIT_PER_MINUTE: '20', TRUST_PROXY: trust },
  });
  t.teardown(system.stop);
  return system;
}

const guesses = async (ask: (address: string) => Promise<{ status: number }>, addresses: string[]) => {
  const statuses: number[] = [];
  for (const address of addresses) statuses.push((await ask(address)).status);
  return statuses;
};
const guessing = (system: TestSystem) => (address: string) =>
  system.api('/api-public/payments', { token: 'pp_guess', headers: { 'x-forwarded-for': address } });
const guessingKeys = (system: TestSystem) => (address: string) =>
  call(`${system.adminUrl}/admin/stores`, { token: 'wrong-key', headers: { 'x-forwarded-for': address } });
const [one, other] = ['203.0.113.1', '203.0.113.2'];

t.test('nobody is believed unless told', async (t) => {
  const system = await behind(t, '');
  t.strictSame(await guesses(guessing(system), [one, one, other]), [401, 401, 429]);
  t.strictSame(await guesses(guessingKeys(system), [one, one, other]), [401, 401, 429]);
});

for (const trust of ['127.0.0.0/8,::1', '1'])
  t.test(`TRUST_PROXY=${trust}: clients behind the proxy are told apart, on both listeners`, async (t) => {
    const system = await behind(t, trust);
    const asked = [one, one, one, other];
    t.strictSame(await guesses(guessing(system), asked), [401, 401, 429, 401]);
    t.strictSame(await guesses(guessingKeys(system), asked), [401, 401, 429, 401]);
    t.equal(
      (await guessing(system)(`198.51.100.9, ${one}`)).status,
      429,
      'what the client made up is no address',
    );
  });

t.test('an IPv6 client is its /64', async (t) => {
  const system = await behind(t, '1');
  const asked = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2::3', '2001:db8:1:3::1'];
  t.strictSame(await guesses(guessing(system), asked), [401, 401, 429, 401]);
});

t.test('a client is its address, whichever port the proxy writes beside it', async (t) => {
  const system = await behind(t, '127.0.0.0/8,::1');
  const asked = [`${one}:51234`, `${one}:51235`, `${one}:51236`, one, `[2001:db8::1]:443`, '[2001:db8::1]'];
  t.strictSame(await guesses(guessing(system), asked), [401, 401, 429, 429, 401, 401]);
  t.equal((await guessing(system)('2001:db8::1')).status, 429);
});

t.test('a proxy that is not among them is a client like others', async (t) => {
  const system = await behind(t, '10.0.0.0/8');
  t.strictSame(await guesses(guessing(system), [one, one, other]), [401, 401, 429]);
});

t.test('behind a proxy, who guesses at the panel does not stop others', async (t) => {
  const { adminUrl } = await behind(t, '1');
  const signIn = async (address: string, key: string) => {
    const person = panelClient(adminUrl, { 'x-forwarded-for': address });
    return (await person.signIn(key)).status;
  };
  for (let guess = 0; guess < 10; guess += 1) t.equal(await signIn(one, 'wrong-key'), 401);
  t.equal(await signIn(one, 'wrong-key'), 429);
  t.equal(await signIn(other, 'wrong-key'), 401);
  t.equal(await signIn(one, 'test-admin-key'), 303);
});

t.test('a wrong value stops the start', async (t) => {
  const { env } = await behind(t, '');
  const settings = readEnvironment(apiSettings, { ...env, TRUST_PROXY: '10.0.0.0/8,proxy' });
  const starting = startApi(settings, createLogger('api', 'silent'));
  await t.rejects(starting, { name: 'ConfigurationError', message: /^TRUST_PROXY: "proxy"/ });
});
