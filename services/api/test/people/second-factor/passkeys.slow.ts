import { freePort } from '@payments/local-servers/free-port';
import { noBrowser, startBrowser } from '@payments/testing/browser';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** Passkeys, with a real browser and its virtual authenticator; and attacks with its answers. */
const page = '/panel/my-account';
const step = '/panel/sign-in/passkey';

t.test('a passkey signs in without a password', { skip: noBrowser }, async (t) => {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const system = await startSystem({ dispatcher: false, env: { ADMIN_PORT: String(port), ADMIN_URL: url } });
  t.teardown(system.stop);
  const { admin } = system;
  const [ana, bia] = [await newPerson(system), await newPerson(system)];
  const context = await (await startBrowser(t)).newContext({ locale: 'pt-BR' });
  const tab = await context.newPage();
  const devtools = await context.newCDPSession(tab);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await tab.goto(`${url}/panel/sign-in`);
  await tab.getByLabel('E-mail').fill(ana.email);
  await tab.getByLabel('Senha').fill(password);
  await tab.getByRole('button', { name: 'Entrar' }).click();
  const elsewhere = panelClient(url);
  await elsewhere.signInAs(ana.email, password);
  t.equal((await elsewhere.get(page)).status, 200);
  await tab.goto(`${url}${page}`);
  await tab.locator('#current-for-passkey').fill('não é esta senha');
  await tab.getByRole('button', { name: 'Criar chave de acesso' }).click();
  await tab.getByText('Senha incorreta.').waitFor();
  await tab.locator('#current-for-passkey').fill(password);
  await tab.getByRole('button', { name: 'Criar chave de acesso' }).click();
  await tab.getByText('O seu dispositivo vai pedir').waitFor();
  await tab.getByRole('button', { name: 'Criar chave de acesso' }).click();
  await tab.getByText('Chave de acesso criada.').waitFor();

  t.equal((await elsewhere.get(page)).status, 303, 'what the password alone opened has ended');
  const guesser = panelClient(url);
  const guessed = await guesser.signInAs(ana.email, password);
  t.equal(guessed.status, 401, 'from now on the password alone opens nothing');
  t.match(guessed.text, 'Esta conta entra com chave de acesso.');
  t.equal((await guesser.get(page)).status, 303);

  const answers: Record<string, string>[] = [];
  tab.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith(step))
      answers.push(Object.fromEntries(new URLSearchParams(request.postData() ?? '')));
  });
  const signIn = async () => {
    await tab.getByRole('button', { name: 'Sair' }).click();
    await tab.getByText('Entrar com chave de acesso').click();
    await tab.getByRole('button', { name: 'Entrar' }).click();
    await tab.getByRole('heading', { name: 'Início' }).waitFor();
  };
  await signIn();
  await signIn();
  const { items } = (await admin('/admin/changes?limit=20')).body;
  t.match(items[0], { action: 'sign_in', authorId: ana.id });
  const actions = items.map(({ action }: { action: string }) => action);
  t.ok(actions.includes('account.passkey_added'));

  const [older, newer] = answers.map(({ answer = '', sealed = '' }) => ({ answer, sealed }));
  const replay = (fields: Record<string, string>) => panelClient(url).post(step, fields, step);
  t.equal((await replay(newer!)).status, 401, 'the same answer again');
  t.equal((await replay(older!)).status, 401, 'an older one');
  const fresh = await panelClient(url).get(step);
  const sealed = /name="sealed" value="([\w-]+)"/.exec(fresh.text)?.[1] ?? '';
  t.equal((await replay({ answer: newer!.answer, sealed })).status, 401, 'for another challenge');
  for (const answer of ['', 'x', '{}', 'null', '{"id":7}', '{"id":"x"}', '{"id":"\\u0000"}'])
    t.equal((await replay({ answer, sealed })).status, 401, answer);
  t.equal((await replay({ ...newer!, sealed: 'x' })).status, 401);
  t.equal((await bia.post(`${page}/passkeys/%00/remove`, {}, page)).status, 303);

  const age = () =>
    system.db
      .updateTable('sessions')
      .set({ provedAt: new Date('2026-01-01') })
      .execute();
  await age();
  await tab.goto(`${url}/panel/keys`);
  await tab.getByLabel('Nome').fill('Robô da "loja"');
  await tab.getByRole('button', { name: 'Criar chave' }).click();
  await tab.getByRole('heading', { name: 'Confirme que é você' }).waitFor();
  const proofs: Record<string, string>[] = [];
  tab.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/panel/keys'))
      proofs.push(Object.fromEntries(new URLSearchParams(request.postData() ?? '')));
  });
  await tab.getByRole('button', { name: 'Confirmar com a chave de acesso' }).click();
  await tab
    .getByText(/ppk_[\w-]{43}/)
    .first()
    .waitFor();
  const { items: keys } = (await admin('/admin/keys')).body;
  t.match(keys, [{ name: 'Robô da "loja"' }], 'a passkey is a proof, and nothing typed is lost');
  await age();
  const [{ answer: proof = '', sealed: asked = '' } = {}] = proofs;
  const replayed = await bia.post('/panel/keys', { name: 'x', role: 'viewer', answer: proof, sealed: asked });
  t.equal(replayed.status, 401, 'and of its own account alone');
  t.equal((await replay({ answer: proof, sealed: asked })).status, 401, 'a proof signs nobody in');

  const [passkey] = await system.db.selectFrom('passkeys').select('id').execute();
  await bia.post(`${page}/passkeys/${passkey?.id}/remove`, {}, page);
  t.equal(
    (await system.db.selectFrom('passkeys').selectAll().execute()).length,
    1,
    'another’s passkey stays',
  );
  t.equal(
    (await bia.post(`${page}/passkeys/confirm`, newer!, page)).status,
    403,
    'a sign-in makes no passkey',
  );

  await admin(`/admin/accounts/${ana.id}`, { method: 'PATCH', body: { active: false } });
  await tab.goto(`${url}${step}`);
  await tab.getByRole('button', { name: 'Entrar' }).click();
  await tab.getByText('Esta chave de acesso não abre nenhuma conta.').waitFor();
  await admin(`/admin/accounts/${ana.id}`, { method: 'PATCH', body: { active: true } });
  const { body } = await admin(`/admin/accounts/${ana.id}/invitation`, { body: {} });
  const path = new URL(body.invitationUrl).pathname;
  await panelClient(url).post(path, { password }, path);
  t.strictSame(
    await system.db.selectFrom('passkeys').selectAll().execute(),
    [],
    'a used invitation removes it',
  );
});
