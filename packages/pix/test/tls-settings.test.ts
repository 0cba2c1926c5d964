import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import t from 'tap';
import { certificateEnd, readMaterial } from '../src/tls-files.ts';
import { type TlsSettings, tlsFiles } from '../src/tls-settings.ts';

const folder = t.testdir();
const write = (name: string, text: string) => {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
};
const issue = async (name: string) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], { keyType: 'ec' });
  return { cert: write(`${name}.crt`, cert), key: write(`${name}.key`, key) };
};
const client = await issue('client');
const other = await issue('other');
const garbage = write('garbage.pem', 'not a certificate');
const missing = join(folder, 'missing.pem');

t.test('what can be used becomes options of the client', async (t) => {
  t.same(tlsFiles({}), {});
  t.same(tlsFiles({ PIX_CA_FILE: other.cert }), { caFile: other.cert });
  const pair = { PIX_CERT_FILE: client.cert, PIX_KEY_FILE: client.key };
  t.same(tlsFiles(pair), { certFile: client.cert, keyFile: client.key });
});

// Made with `openssl pkcs12 -export`, valid for a hundred years: without a password, with one, and as OpenSSL 1 did.
const p12 = (name: string) => join(import.meta.dirname, 'p12', `${name}.p12`);

t.test('a .p12 takes the place of certificate and key', async (t) => {
  t.same(tlsFiles({ PIX_P12_FILE: p12('open') }), { p12File: p12('open') });
  const locked = { PIX_P12_FILE: p12('locked'), PIX_P12_PASSWORD: 'segredo' };
  t.same(tlsFiles(locked), { p12File: p12('locked'), p12Password: 'segredo' });
});

const wrong: [why: string, settings: TlsSettings, message: RegExp][] = [
  ['no key', { PIX_CERT_FILE: client.cert }, /^PIX_KEY_FILE is required with PIX_CERT_FILE$/],
  ['no certificate', { PIX_KEY_FILE: client.key }, /^PIX_CERT_FILE is required with PIX_KEY_FILE$/],
  [
    'no such key',
    { PIX_CERT_FILE: client.cert, PIX_KEY_FILE: missing },
    /^PIX_KEY_FILE can't be used: ENOENT/,
  ],
  ['no such authority', { PIX_CA_FILE: missing }, /^PIX_CA_FILE can't be used: ENOENT/],
  ['no PEM of an authority', { PIX_CA_FILE: garbage }, /^PIX_CA_FILE can't be used: .*$/],
  ['a folder', { PIX_CA_FILE: folder }, /^PIX_CA_FILE can't be used: EISDIR/],
  ['no PEM', { PIX_CERT_FILE: garbage, PIX_KEY_FILE: client.key }, /^PIX_CERT_FILE can't be used: .*$/],
  [
    'the key of another',
    { PIX_CERT_FILE: client.cert, PIX_KEY_FILE: other.key },
    /^PIX_KEY_FILE can't be used: .*$/,
  ],
  ['no password', { PIX_P12_FILE: p12('locked') }, /^PIX_P12_FILE can't be used: PIX_P12_PASSWORD is not/],
  ['an old .p12', { PIX_P12_FILE: p12('old') }, /^PIX_P12_FILE can't be used: .*openssl pkcs12 -legacy/],
  ['no .p12', { PIX_P12_FILE: garbage }, /^PIX_P12_FILE can't be used: .*$/],
  [
    'both',
    { PIX_CERT_FILE: client.cert, PIX_KEY_FILE: client.key, PIX_P12_FILE: p12('open') },
    /^PIX_P12_FILE takes the place of PIX_CERT_FILE$/,
  ],
];
for (const [why, settings, message] of wrong) {
  t.test(`${why}: one line that names the variable`, async (t) => {
    t.throws(() => tlsFiles(settings), { name: 'ConfigurationError', message });
  });
}

t.test('the end of our certificate, also in a .p12', async (t) => {
  const pair = certificateEnd(readMaterial({ certFile: client.cert, keyFile: client.key }));
  t.ok(pair && pair > new Date());
  const inP12 = certificateEnd(readMaterial({ p12File: p12('locked'), p12Password: 'segredo' }));
  t.ok(inP12 && inP12.getUTCFullYear() > 2100);
  t.equal(certificateEnd(readMaterial({ caFile: other.cert })), null, 'an authority is not ours');
});
