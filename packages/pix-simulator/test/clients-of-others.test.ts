import type { Json } from '@payments/testing/http';
import t from 'tap';
import { ALL_SCOPES } from '../src/access.ts';
import { buildSimulator } from '../src/app.ts';
import { type BankName, basePaths } from '../src/banks/all.ts';
import { KEY, type Teardown, TXID, terms, txidOf } from './bank-under-test.ts';
import { startReceiver } from './receiver.ts';

/**
 * Requests as clients of others send them, header for header: Inter's SDK (inter-co/pj-sdk-python 1.0.2) and pypix-api
 * (laddertech/pypix-api), which can't be installed with npm. Efí's SDKs run themselves in `packages/strangers`.
 */
type Answer = { status: number; type: string | undefined; text: string; json(): Json };

function openBank(t: Teardown, profile: BankName, headers: Record<string, string> = {}) {
  const app = buildSimulator({ profile, key: KEY, clientId: 'id' });
  t.teardown(() => app.close());
  const token = app.bank.access.issue({ id: 'id', secret: '', scopes: ALL_SCOPES }, null)?.access_token;
  return async (method: string, path: string, payload?: string): Promise<Answer> => {
    const answer = await app.inject({
      method: method as 'GET',
      url: basePaths[profile] + path,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        // The library `requests` names the length of every body but a GET's, of an empty one too.
        ...(method !== 'GET' && { 'content-length': String(Buffer.byteLength(payload ?? '')) }),
        ...headers,
      },
      ...(payload !== undefined && { payload }),
    });
    const { statusCode: status, body: text } = answer;
    return { status, type: answer.headers['content-type'] as string, text, json: () => answer.json() };
  };
}

const pypix = { 'user-agent': 'PyPixAPIClient/0.1', client_id: 'id' };
const inter = { 'x-inter-sdk': 'python', 'x-inter-sdk-version': '1.0.2' };
const day = 'inicio=2020-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z';

t.test('Inter’s SDK: null for every field that is not set', async (t) => {
  const call = openBank(t, 'inter', inter);
  const billing = (valor: string) =>
    `{"txid": "${TXID}", "calendario": {"expiracao": 3600, "criacao": null}, "devedor": {"cpf": "12345678909", "cnpj": null, "nome": "João", "email": null, "cidade": null, "uf": null, "cep": null, "logradouro": null}, "loc": null, "valor": {"original": "${valor}", "modalidadeAlteracao": null, "retirada": null}, "chave": "${KEY}", "solicitacaoPagador": null, "infoAdicionais": []}`;
  const made = await call('PUT', `/cob/${TXID}`, billing('10.00'));
  t.equal(made.status, 201, made.text);
  t.match(made.json(), { devedor: { cpf: '12345678909', nome: 'João' }, solicitacaoPagador: undefined });
  const reviewed = await call('PATCH', `/cob/${TXID}`, billing('12.00'));
  t.match([reviewed.status, reviewed.json()], [200, { revisao: 1, valor: { original: '12.00' } }]);
});

t.test('Inter’s SDK: a registration answers 204, which it needs, and is removed', async (t) => {
  const call = openBank(t, 'inter', inter);
  const registered = await call('PUT', `/webhook/${KEY}`, '{"webhookUrl": "https://loja.example/pix"}');
  t.same([registered.status, registered.text], [204, '']);
  t.match((await call('GET', `/webhook/${KEY}`)).json(), { webhookUrl: 'https://loja.example/pix' });
  t.equal((await call('DELETE', `/webhook/${KEY}`)).status, 204);
});

t.test('null stays a mistake where the Central Bank’s text is the rule', async (t) => {
  const call = openBank(t, 'bacen');
  t.equal((await call('PUT', `/cob/${TXID}`, JSON.stringify({ ...terms, loc: null }))).status, 400);
});

for (const profile of ['sicoob', 'sicredi'] as const)
  t.test(`pypix-api at ${profile}: a removal names JSON and has no body`, async (t) => {
    const call = openBank(t, profile, pypix);
    await call('PUT', `/webhook/${KEY}`, '{"webhookUrl": "https://loja.example/pix"}');
    t.match((await call('GET', `/webhook?${day}`)).json(), {
      parametros: { paginacao: { quantidadeTotalDeItens: 1 } },
      webhooks: [{ webhookUrl: 'https://loja.example/pix', chave: KEY }],
    });
    t.equal((await call('DELETE', `/webhook/${KEY}`)).status, 204);
    t.equal((await call('GET', `/webhook/${KEY}`)).status, 404);
    t.match((await call('GET', `/webhook?${day}`)).json(), { webhooks: { length: 0 } });
  });

t.test('pypix-api: a charge’s earlier revision is shown as it was', async (t) => {
  const call = openBank(t, 'sicredi', pypix);
  await call('PUT', `/cob/${TXID}`, JSON.stringify(terms));
  await call('PATCH', `/cob/${TXID}`, '{"valor": {"original": "12.00"}}');
  const shown = async (revision: number) => (await call('GET', `/cob/${TXID}?revisao=${revision}`)).json();
  t.match(await shown(0), { revisao: 0, valor: { original: '10.00' } });
  t.match(await shown(1), { revisao: 1, valor: { original: '12.00' } });
  t.equal((await call('GET', `/cob/${TXID}?revisao=2`)).status, 400);
});

t.test('pypix-api: a charge under the bank’s own txid', async (t) => {
  const call = openBank(t, 'sicredi', pypix);
  const made = await call('POST', '/cob', JSON.stringify(terms));
  const { txid } = made.json();
  t.match([made.status, txid], [201, /^[a-zA-Z0-9]{26,35}$/]);
  t.match((await call('GET', `/cob/${txid}`)).json(), { txid, valor: terms.valor, status: 'ATIVA' });
});

t.test('pypix-api: a location is made, taken by one charge, found and unlinked', async (t) => {
  const call = openBank(t, 'sicredi', pypix);
  const location = await call('POST', '/loc', '{"tipoCob": "cob"}');
  const { id } = location.json();
  t.match([location.status, location.json()], [201, { id, location: /\/qr\//, tipoCob: 'cob' }]);
  const body = JSON.stringify({ ...terms, loc: { id } });
  const made = await call('PUT', `/cob/${TXID}`, body);
  t.match(made.json(), { loc: { id }, location: location.json().location });
  t.equal((await call('PUT', `/cob/${txidOf(2)}`, body)).status, 400, 'it is taken');
  t.match((await call('GET', `/loc/${id}`)).json(), { id, txid: TXID });
  t.match((await call('GET', `/loc?${day}`)).json(), { loc: [{ id, txid: TXID }] });
  t.notOk('txid' in (await call('DELETE', `/loc/${id}/txid`)).json());
  await call('PATCH', `/cob/${TXID}`, '{"valor": {"original": "12.00"}}');
  t.notOk('txid' in (await call('GET', `/loc/${id}`)).json(), 'a change of the charge links nothing');
  t.equal((await call('GET', '/loc/99')).status, 404);
  t.equal((await call('GET', `/loc/${id}/qrcode`)).status, 404, 'no operation of the API Pix');
});

t.test('Efí: names of refusals, a registration, and seconds as text in reads alone', async (t) => {
  const call = openBank(t, 'efi', { 'x-skip-mtls-checking': 'true' });
  const refused = await call('PUT', `/cob/${TXID}`, JSON.stringify({ ...terms, valor: { original: 10 } }));
  t.match([refused.status, refused.json()], [400, { nome: 'valor_invalido' }]);
  const made = await call('PUT', `/cob/${TXID}`, JSON.stringify(terms));
  const reviewed = await call('PATCH', `/cob/${TXID}`, '{"valor": {"original": "12.00"}}');
  for (const answer of [made, reviewed]) t.match(answer.json(), { calendario: { expiracao: 3600 } });
  t.match((await call('GET', `/cob/${TXID}`)).json(), { calendario: { expiracao: '3600' } });
  t.match((await call('GET', `/cob?${day}`)).json(), { cobs: [{ calendario: { expiracao: '3600' } }] });
  const removal = '{"status": "REMOVIDA_PELO_USUARIO_RECEBEDOR"}';
  await call('PATCH', `/cob/${TXID}`, removal);
  t.match((await call('PATCH', `/cob/${TXID}`, removal)).json(), { nome: 'status_cobranca_invalido' });
  const { url: webhookUrl } = await startReceiver(t, [200]);
  const registered = await call('PUT', `/webhook/${KEY}`, JSON.stringify({ webhookUrl }));
  t.match([registered.status, registered.json()], [201, { webhookUrl }]);
});
