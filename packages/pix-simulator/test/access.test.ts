import t from 'tap';
import { startBank, TXID } from './bank-under-test.ts';

type Bank = Awaited<ReturnType<typeof startBank>>;

const credentials = { clientId: 'loja:1', clientSecret: 'sé%cret' };

function askToken(bank: Bank, form: Record<string, string>, authorization?: string) {
  return bank.app.inject({
    method: 'POST',
    url: '/oauth/token',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(authorization !== undefined && { authorization }),
    },
    payload: new URLSearchParams(form).toString(),
  });
}

function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

function readCharge(bank: Bank, authorization?: string) {
  return bank.app.inject({
    url: `/cob/${TXID}`,
    headers: authorization === undefined ? {} : { authorization },
  });
}

t.test('tokens for the right credentials, in the header or in the form', async (t) => {
  const bank = await startBank(t, credentials);
  const grant = { grant_type: 'client_credentials' };
  const encoded = basic(encodeURIComponent('loja:1'), encodeURIComponent('sé%cret'));
  const rows: [string, Record<string, string>, string | undefined, number][] = [
    ['header', grant, encoded, 200],
    ['form', { ...grant, client_id: 'loja:1', client_secret: 'sé%cret' }, undefined, 200],
    ['wrong secret', grant, basic('loja%3A1', 'other'), 401],
    ['wrong id', { ...grant, client_id: 'loja', client_secret: 'sé%cret' }, undefined, 401],
    ['none', grant, undefined, 401],
    ['another grant', { grant_type: 'password' }, encoded, 400],
  ];
  for (const [name, form, authorization, status] of rows) {
    t.equal((await askToken(bank, form, authorization)).statusCode, status, name);
  }
  const { access_token, token_type, expires_in } = (await askToken(bank, grant, encoded)).json();
  t.match({ token_type, expires_in }, { token_type: 'Bearer', expires_in: 3600 });
  t.equal(
    (await readCharge(bank, `Bearer ${access_token}`)).statusCode,
    404,
    'let in: there is no such charge',
  );
});

t.test('a token allows what was asked for, while it lives', async (t) => {
  const clock = { now: 0 };
  const bank = await startBank(t, { tokenSeconds: 60, now: () => clock.now });
  const form = { grant_type: 'client_credentials', scope: 'pix.read unknown' };
  const narrow = (await askToken(bank, form)).json();
  t.equal(narrow.scope, 'pix.read');
  const forbidden = await readCharge(bank, `Bearer ${narrow.access_token}`);
  t.match(forbidden.json(), { status: 403, type: /AcessoNegado$/, detail: /cob\.read/ });

  const wide = (await askToken(bank, { grant_type: 'client_credentials' })).json();
  await bank.advance(86_400);
  t.equal(
    (await readCharge(bank, `Bearer ${wide.access_token}`)).statusCode,
    404,
    "the bank's clock is no matter",
  );
  clock.now = 60_000;
  t.equal((await readCharge(bank, `Bearer ${wide.access_token}`)).statusCode, 401);
  for (const authorization of [undefined, 'Bearer', 'Bearer x', 'Basic eDp5']) {
    t.equal((await readCharge(bank, authorization)).statusCode, 401, authorization ?? 'none');
  }
});

t.test('a bank that forgets its tokens costs its clients one call', async (t) => {
  const bank = await startBank(t);
  const calls: string[] = [];
  const client = bank.client({ onCall: ({ operation, status }) => calls.push(`${operation} ${status}`) });
  await client.getCharge(TXID);
  t.equal((await bank.asAnyone('DELETE', '/bank/tokens')).status, 204);
  t.equal(await client.getCharge(TXID), null);
  t.strictSame(calls, ['token 200', 'getCharge 404', 'getCharge 401', 'token 200', 'getCharge 404']);
});

t.test('wrong credentials are refused to the client', async (t) => {
  const bank = await startBank(t, credentials);
  await t.rejects(bank.client().getCharge(TXID), {
    code: 'PIX_REFUSED',
    status: 401,
    type: 'invalid_client',
  });
  t.equal(await bank.client(credentials).getCharge(TXID), null);
});
