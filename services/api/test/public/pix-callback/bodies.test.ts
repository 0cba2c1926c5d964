import { gzipSync } from 'node:zlib';
import { callbackSecretOf } from '@payments/pix/callback';
import { eventually, startSystem } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';

/**
 * The callback takes a body in whatever form a bank or a proxy gives it: the body only names charges to look at. No
 * scan runs here, so what is approved was approved by the callback.
 */
type Line = { msg: string; body?: string };
const logged: Line[] = [];
let output = '';
const system = await startSystem({
  dispatcher: false,
  log: pino(
    { level: 'info' },
    {
      write: (line: string) => {
        output += line;
        logged.push(JSON.parse(line));
      },
    },
  ),
});
t.teardown(system.stop);
await system.bank('/bank/faults', { dropCallbacks: true });
const store = await system.createStore();
const address = `${system.url}/pix-callback/${callbackSecretOf('default', 'secret')}`;

type Sent = { headers?: Record<string, string>; method?: string; at?: string };

async function send(
  body: string | Buffer | undefined,
  { headers = {}, method = 'POST', at = address }: Sent = {},
) {
  const given = body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) };
  return fetch(at, { method, headers, ...given });
}

/** @returns a paid charge's entry of a callback, and its payment */
async function paid() {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  const pix = await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  const { endToEndId, txid, valor } = pix.body;
  const entry = { endToEndId, txid, valor, chave: 'pix@example.com', horario: new Date().toISOString() };
  return { id: body.id as string, entry };
}

const json = 'application/json';
const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

t.test('a Pix is found in every form of body', async (t) => {
  const table: [what: string, headers: Record<string, string>, form: (text: string) => Buffer][] = [
    ['a byte order mark', { 'content-type': json }, (text) => Buffer.concat([bom, Buffer.from(text)])],
    ['gzip', { 'content-type': json, 'content-encoding': 'gzip' }, (text) => gzipSync(text)],
    [
      'gzip and a byte order mark',
      { 'content-type': json, 'content-encoding': 'gzip' },
      (text) => gzipSync(Buffer.concat([bom, Buffer.from(text)])),
    ],
    ['gzip that no header names', { 'content-type': json }, (text) => gzipSync(text)],
    [
      'a header of gzip that a proxy has unpacked',
      { 'content-type': json, 'content-encoding': 'gzip' },
      (text) => Buffer.from(text),
    ],
    [
      'the charset that is named',
      { 'content-type': 'application/json; charset=ISO-8859-1' },
      (text) => Buffer.from(text, 'latin1'),
    ],
    [
      'a charset in quotes, after another parameter',
      { 'content-type': 'application/json;v=2; charset="utf-16le"' },
      (text) => Buffer.from(text, 'utf16le'),
    ],
    [
      'UTF-16 by its mark',
      { 'content-type': json },
      (text) => Buffer.concat([Buffer.from([0xfe, 0xff]), utf16be(text)]),
    ],
    [
      'another charset than the one named',
      { 'content-type': 'application/json; charset=utf-8' },
      (text) => Buffer.from(text, 'latin1'),
    ],
    [
      'a charset in which it would be no JSON',
      { 'content-type': 'application/json; charset=utf-16le' },
      (text) => Buffer.from(text),
    ],
    [
      'an unknown charset',
      { 'content-type': 'application/json; charset=klingon' },
      (text) => Buffer.from(text),
    ],
    [
      'a line break in the payer’s words',
      { 'content-type': json },
      (text) => Buffer.from(text.replace('São ', 'São\n')),
    ],
    ['no type at all', { 'content-type': '' }, (text) => Buffer.from(text)],
    ['what is no type', { 'content-type': 'json' }, (text) => Buffer.from(text)],
    ['a form’s type', { 'content-type': 'application/x-www-form-urlencoded' }, (text) => Buffer.from(text)],
  ];
  for (const [what, headers, form] of table) {
    const { id, entry } = await paid();
    const text = JSON.stringify({ pix: [{ ...entry, infoPagador: 'Padaria São João' }] });
    t.equal((await send(form(text), { headers })).status, 200, what);
    const { body } = await system.api(`/api-public/payments/${id}`, { token: store.token });
    t.equal(body.status, 'approved', what);
  }
});

t.test('a Pix is found without the object around its list, and without the list', async (t) => {
  const shapes = [
    (entry: object) => [entry],
    (entry: object) => [{ pix: [entry] }],
    (entry: object) => entry,
  ];
  for (const shape of shapes) {
    const { id, entry } = await paid();
    await send(JSON.stringify(shape(entry)), { headers: { 'content-type': json } });
    const { body } = await system.api(`/api-public/payments/${id}`, { token: store.token });
    t.equal(body.status, 'approved', String(shape));
  }
});

t.test('one Pix of ours is found among hundreds, behind them', async (t) => {
  const { id, entry } = await paid();
  const others = Array.from({ length: 2_000 }, (_, n) => ({
    ...entry,
    endToEndId: `E00000000202611221200${String(n).padStart(11, '0')}`,
    txid: String(n).padStart(35, '0'),
    infoPagador: 'x'.repeat(140),
  }));
  const text = JSON.stringify({ pix: [...others, entry] });
  t.ok(text.length > 600_000 && text.length < 1_048_576, `${text.length} bytes`);
  t.equal((await send(text, { headers: { 'content-type': json } })).status, 200);
  const { body } = await system.api(`/api-public/payments/${id}`, { token: store.token });
  t.equal(body.status, 'approved');
});

t.test('txids that are not ours cause no call to the bank', async (t) => {
  const asked = async () => (await system.bank('/bank/violations')).body.checked as number;
  await eventually('the callback to be registered', async () => {
    return system.simulator.bank.ledger.webhooks.size > 0 || undefined;
  });
  const { entry } = await paid();
  const before = await asked();
  const unknown = [
    '0'.repeat(32),
    'f'.repeat(32),
    '',
    'short',
    'x'.repeat(35),
    `${'a'.repeat(31)}'`,
    "';drop table payments;--",
    null,
    7,
    {},
    undefined,
  ].map((txid) => ({ ...entry, txid }));
  for (const pix of [...unknown.map((one) => [one]), unknown])
    t.equal((await send(JSON.stringify({ pix }), { headers: { 'content-type': json } })).status, 200);
  t.equal(await asked(), before);
});

t.test('what names no Pix is answered 200, and logged without its content', async (t) => {
  const secret = 'maria@example.com';
  const table: [what: string, type: string, body: string | Buffer, form: string][] = [
    ['a word', 'text/plain', `teste ${secret}`, 'other'],
    ['XML', 'application/xml', `<a>${secret}</a>`, 'other'],
    ['a form', 'application/x-www-form-urlencoded', `a=${secret}`, 'other'],
    ['half of JSON', json, `{"pix":[{"chave":"${secret}"`, 'other'],
    ['damaged gzip', json, gzipSync(secret.repeat(9)).subarray(0, 20), 'other'],
    ['bytes', json, Buffer.from([0, 1, 2, 0xff]), 'other'],
    ['nothing', json, ' ', 'empty'],
    ['a text', json, `"${secret}"`, 'json'],
    ['null', json, 'null', 'json'],
    ['a list', json, `["${secret}"]`, 'json'],
    ['no list', json, `{"pix":"${secret}"}`, 'json'],
    ['odd entries', json, '{"pix":[null,7,{},[[]],{"endToEndId":{}}]}', 'json'],
    ['another field', json, `{"evento":"teste_webhook","de":"${secret}"}`, 'json'],
    ['the prototype', json, '{"__proto__":{"pix":[1]},"pix":[{"__proto__":{}}]}', 'json'],
  ];
  for (const [what, type, body, form] of table) {
    logged.length = 0;
    t.equal((await send(body, { headers: { 'content-type': type } })).status, 200, what);
    const lines = logged.filter(({ msg }) => msg === 'a callback names no Pix of ours');
    t.match(lines, [{ body: form, bank: 'default' }], what);
  }
  t.notOk(output.includes(secret), 'nothing of a body is logged');
  t.notOk(output.includes(callbackSecretOf('default', 'secret')), 'nor is the address');
});

t.test('a small body that unpacks to more than 1 MiB is refused', async (t) => {
  const headers = { 'content-type': json, 'content-encoding': 'gzip' };
  const fits = gzipSync(`{"pix":[]}${' '.repeat(1_048_576 - 10)}`);
  t.equal((await send(fits, { headers })).status, 200);
  for (const bomb of [gzipSync(`{"pix":[]}${' '.repeat(1_048_576)}`), gzipSync(Buffer.alloc(100 << 20))]) {
    t.ok(bomb.length < 1_048_576);
    t.equal((await send(bomb, { headers })).status, 413);
  }
});

t.test('a bank tries the address by any method, and with a slash at its end', async (t) => {
  for (const path of ['', '/', '/pix', '/pix/']) {
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'])
      t.equal((await send(undefined, { method, at: address + path })).status, 200, `${method} ${path}`);
    const wrong = `${system.url}/pix-callback/wrong${path}`;
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'OPTIONS'])
      t.equal((await send(undefined, { method, at: wrong })).status, 404, `${method} wrong${path}`);
    t.equal((await send('{', { at: wrong, headers: { 'content-type': 'no type' } })).status, 404);
  }
  const { id, entry } = await paid();
  await send(JSON.stringify({ pix: [entry] }), { at: `${address}/pix/`, headers: { 'content-type': json } });
  const { body } = await system.api(`/api-public/payments/${id}`, { token: store.token });
  t.equal(body.status, 'approved', 'a slash too many hides no Pix');
});

t.test('a Pix that the bank tells of and can’t be asked for is shown as a problem', async (t) => {
  const { id, entry } = await paid();
  await system.bank('/bank/faults', { dropCallbacks: true, status: 503, only: ['getCob'], times: 2 });
  t.equal((await send(JSON.stringify({ pix: [entry] }), { headers: { 'content-type': json } })).status, 503);
  await system.bank('/bank/faults', { dropCallbacks: true });
  const { body } = await system.admin(`/admin/payments/${id}`);
  t.match(body.problems, [{ work: 'settle', tries: 0 }]);
  const { body: list } = await system.admin('/admin/charge-problems');
  t.match(list.items, [{ paymentId: id, tries: 0 }]);
});
