import t from 'tap';
import { buildSimulator } from '../src/app.ts';
import { type BankName, banks, basePaths } from '../src/banks/all.ts';
import { KEY, type Teardown, TXID, terms, txidOf } from './bank-under-test.ts';
import { startReceiver } from './receiver.ts';

/** Each bank's refusals and answers, call by call. */
type Answer = { statusCode: number; body: string; json(): Record<string, unknown> };
type Call = { method: 'GET' | 'PUT' | 'PATCH' | 'POST'; url: string; headers?: object; payload?: unknown };

const askForms: Partial<Record<BankName, object>> = {
  efi: { payload: { grant_type: 'client_credentials' } },
  pagbank: { payload: { grant_type: 'client_credentials', scope: 'cob.write cob.read pix.read pix.write' } },
};
const tokenPaths: Partial<Record<BankName, string>> = {
  itau: '/api/oauth/token',
  santander: '/oauth/token?grant_type=client_credentials',
  sicoob: '/auth/realms/cooperado/protocol/openid-connect/token',
  inter: '/oauth/v2/token',
  c6: '/v1/auth',
  banrisul: '/auth/oauth/v2/token',
  pagbank: '/pix/oauth2',
};
const scope = 'cob.write cob.read pix.write pix.read webhook.write webhook.read';
const form = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: 'id',
  client_secret: 's',
  scope,
});
const authorization = `Basic ${Buffer.from('id:s').toString('base64')}`;
const own = { 'x-itau-apikey': '', 'x-itau-correlationid': '1', 'x-correlationid': '1', client_id: '' };

async function openBank(t: Teardown, profile: BankName, options: object = {}) {
  const app = buildSimulator({ profile, ...options });
  t.teardown(() => app.close());
  const send = (call: Call) => app.inject(call as never) as unknown as Promise<Answer>;
  const askToken = () =>
    send({
      method: 'POST',
      url: tokenPaths[profile] ?? '/oauth/token',
      headers: {
        ...(profile !== 'itau' && profile !== 'santander' && { authorization }),
        'content-type': askForms[profile] ? 'application/json' : 'application/x-www-form-urlencoded',
      },
      payload: form.toString(),
      ...askForms[profile],
    });
  const token = (await askToken()).json().access_token;
  const call = (method: Call['method'], path: string, payload?: unknown, headers: object = {}) => {
    const url = `${path.startsWith('!') ? path.slice(1) : basePaths[profile] + path}`;
    const query = profile === 'bb' ? `${url.includes('?') ? '&' : '?'}gw-dev-app-key=k` : '';
    const all = { authorization: `Bearer ${token}`, ...own, ...headers };
    return send({ method, url: url + query, headers: all, ...(payload !== undefined && { payload }) });
  };
  return { app, call, askToken };
}

const lists = (from: string, to: string) => `/pix?inicio=${from}&fim=${to}`;
const past = lists('2026-01-01T00:00:00Z', '2026-01-02T00:00:00Z');

for (const profile of Object.keys(banks) as BankName[])
  t.test(`${profile}: a charge, and a wrong address`, async (t) => {
    const { call } = await openBank(t, profile);
    const made = await call('PUT', `/cob/${TXID}`, terms);
    t.ok([200, 201].includes(made.statusCode), made.body);
    t.equal((await call('GET', `/cob/${TXID}`)).json().status, 'ATIVA');
    t.equal((await call('GET', `!/somewhere/else/${TXID}`)).statusCode, 404);
    if (profile !== 'bacen')
      t.equal((await call('GET', `!/cob/${TXID}`)).statusCode, 404, 'nor at the standard’s');
  });

t.test('Efí: names for what is missing, one PUT a txid, an address that is tried', async (t) => {
  const { call } = await openBank(t, 'efi');
  const missing = await call('GET', `/cob/${txidOf(9)}`);
  t.equal(missing.statusCode, 400);
  t.match(missing.json(), { nome: 'cobranca_nao_encontrada' });
  await call('PUT', `/cob/${TXID}`, terms);
  t.match((await call('PUT', `/cob/${TXID}`, terms)).json(), { nome: 'txid_duplicado' });
  const receiver = await startReceiver(t, [404, 200]);
  const register = (headers: object) => call('PUT', `/webhook/${KEY}`, { webhookUrl: receiver.url }, headers);
  t.match((await register({})).json(), { mensagem: /TLS mútuo/ });
  const skip = { 'x-skip-mtls-checking': 'true' };
  t.match((await register(skip)).json(), { mensagem: /código HTTP 404/ });
  t.equal((await register(skip)).statusCode, 201);
});

t.test('Banco do Brasil: four days, none of them to come, and 404 for nothing', async (t) => {
  const { call } = await openBank(t, 'bb', { now: () => Date.parse('2026-02-01T00:00:00Z') });
  t.match((await call('GET', past)).json(), { erros: [{ codigo: '4769515' }] });
  t.equal((await call('GET', past)).statusCode, 404);
  t.equal((await call('GET', lists('2026-01-01T00:00:00Z', '2026-01-06T00:00:00Z'))).statusCode, 400);
  t.equal((await call('GET', lists('2026-01-31T00:00:00Z', '2026-02-01T00:00:01Z'))).statusCode, 400);
  const long = `https://payments.example/${'x'.repeat(120)}`;
  t.equal((await call('PUT', `/webhook/${KEY}`, { webhookUrl: long })).statusCode, 400);
});

t.test('Itaú: nothing is a 204, a registration a 201', async (t) => {
  const { call } = await openBank(t, 'itau');
  t.equal((await call('GET', past)).statusCode, 204);
  t.equal((await call('PUT', `/webhook/${KEY}`, { webhookUrl: 'https://payments.example' })).statusCode, 201);
  t.equal((await call('GET', past, undefined, { 'x-itau-apikey': 'other' })).statusCode, 403);
});

t.test('Santander: whole seconds, one PUT a txid, changes at version 2', async (t) => {
  const { call } = await openBank(t, 'santander');
  t.equal((await call('GET', lists('2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z'))).statusCode, 400);
  t.equal((await call('GET', past)).statusCode, 200);
  const made = await call('PUT', `/cob/${TXID}`, terms);
  t.notOk('pixCopiaECola' in made.json());
  t.equal((await call('PUT', `/cob/${TXID}`, terms)).statusCode, 400);
  const removal = { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' };
  t.equal((await call('PATCH', `/cob/${TXID}`, removal)).statusCode, 404);
  t.equal((await call('PATCH', `!/api/v2/cob/${TXID}`, removal)).statusCode, 200);
});

t.test('Bradesco: SOAP for what breaks inside; Sicoob: brcode; PagBank: no callback', async (t) => {
  const bradesco = await openBank(t, 'bradesco');
  Object.assign(bradesco.app.bank.faults, { status: 500, only: ['getCob'] });
  t.match((await bradesco.call('GET', `/cob/${TXID}`)).body, '<faultstring>');
  const sicoob = await openBank(t, 'sicoob');
  t.match((await sicoob.call('PUT', `/cob/${TXID}`, terms)).json(), { brcode: /^000201/ });
  t.match((await sicoob.call('GET', `/cob/${txidOf(9)}`)).json(), { mensagens: [{ codigo: '404' }] });
  const pagbank = await openBank(t, 'pagbank');
  t.equal(
    (await pagbank.call('PUT', `/webhook/${KEY}`, { webhookUrl: 'https://x.example' })).statusCode,
    403,
  );
});

t.test('Inter: 120 calls and five tokens a minute; Sicredi: an address that asks too often', async (t) => {
  const inter = await openBank(t, 'inter');
  const statuses: number[] = [];
  for (let call = 0; call < 121; call += 1) statuses.push((await inter.call('GET', past)).statusCode);
  t.same([statuses.filter((one) => one === 200).length, statuses.at(-1)], [120, 429]);
  for (let ask = 0; ask < 4; ask += 1) t.equal((await inter.askToken()).statusCode, 200);
  t.equal((await inter.askToken()).statusCode, 429);
  const sicredi = await openBank(t, 'sicredi');
  for (let ask = 0; ask < 19; ask += 1) await sicredi.askToken();
  t.equal((await sicredi.askToken()).statusCode, 429);
});

t.test('scopes: narrowed in silence at Sicredi, all or none at Inter', async (t) => {
  const some = { scopes: ['cob.write', 'cob.read'] };
  const sicredi = await openBank(t, 'sicredi', some);
  const refused = await sicredi.call('GET', past);
  t.equal(refused.statusCode, 400);
  t.match(refused.json(), { detail: /não possui os escopos/ });
  const inter = await openBank(t, 'inter', some);
  t.match((await inter.askToken()).json(), { error: 'invalid_scope' });
});
