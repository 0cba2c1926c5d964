import { freePort } from '@payments/local-servers/free-port';
import { lockTable, untilAnswered } from '@payments/testing/pause';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';
import { clientId, clientSecret, startIssuer } from './oidc-issuer.ts';

/** A stranger's answers of the single sign-on cost the issuer and others at the panel little (Design: Bounds). */
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const issuer = await startIssuer(`${url}/panel/sign-in/sso/callback`);
let aheadMs = 0;
const system = await startSystem({
  dispatcher: false,
  now: () => new Date(Date.now() + aheadMs),
  env: {
    ADMIN_PORT: String(port),
    ADMIN_URL: url,
    OIDC_ISSUER: issuer.url,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  },
});
t.teardown(async () => {
  await system.stop();
  issuer.close();
});

/** Begins a sign-on. @returns a function that brings its answer, with nobody's code, as often as it is called */
async function begun() {
  const person = panelClient(url);
  const { headers } = await person.get('/panel/sign-in/sso');
  const state = new URL(headers.get('location') ?? '').searchParams.get('state') ?? '';
  const cookie = `panel_sign_on=${person.cookies.get('panel_sign_on')}`;
  const answer = new URLSearchParams({ code: 'x', state, iss: issuer.url });
  return () =>
    fetch(`${url}/panel/sign-in/sso/callback?${answer}`, { headers: { cookie }, redirect: 'manual' });
}

t.test('an answer that comes sixty times at once asks the issuer once, and waits its turn', async (t) => {
  const bring = await begun();
  const { asked } = issuer;
  const lock = await lockTable(system.env.DATABASE_URL!, 'changes');
  const answers = Array.from({ length: 60 }, bring);
  const first = await Promise.race(answers);
  t.equal(first.status, 429);
  t.equal(first.headers.get('retry-after'), '1');
  t.match(await first.text(), 'Muitas tentativas. Tente de novo em 1 segundo.');
  await untilAnswered(answers, 10);
  await lock.end();
  const statuses = Map.groupBy(await Promise.all(answers), ({ status }) => status);
  t.strictSame([statuses.get(401)?.length, statuses.get(429)?.length], [50, 10]);
  t.equal(issuer.asked, asked + 1);
});

t.test('while the issuer hangs, a password at the same address opens the panel', async (t) => {
  const { email } = await newPerson(system);
  const { promise, resolve } = Promise.withResolvers<void>();
  issuer.ready = promise;
  const { asked } = issuer;
  const answer = (await begun())();
  await eventually('the issuer to be asked', async () => issuer.asked > asked || undefined);
  const first = await Promise.race([answer, panelClient(url).signInAs(email, password)]);
  t.equal(first.status, 303);
  resolve();
  t.equal((await answer).status, 401);
});

t.test('a sign-on is over after ten minutes, also for who kept its cookie', async (t) => {
  const bring = await begun();
  const { asked } = issuer;
  aheadMs = 600_000;
  t.equal((await bring()).status, 403);
  t.equal(issuer.asked, asked);
});
