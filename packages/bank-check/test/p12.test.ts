import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import t from 'tap';
import { certificatesIn, openBank, run } from './newcomer.ts';

/** Certificate and key in one .p12, at a bank that refuses connections without a certificate. */
const certificates = await certificatesIn(t);
const file = join(dirname(certificates.client.certFile), 'loja.p12');
const password = 'abre-te-sésamo';
const without = { PIX_CERT_FILE: '', PIX_KEY_FILE: '' };
const hasOpenssl = spawnSync('openssl', ['version']).status === 0;

function exported({ certFile, keyFile }: typeof certificates.client): void {
  const made = spawnSync(
    'openssl',
    ['pkcs12', '-export', '-in', certFile, '-inkey', keyFile, '-out', file, '-passout', 'env:PASSWORD'],
    { encoding: 'utf8', env: { PATH: process.env.PATH, PASSWORD: password } },
  );
  if (made.status !== 0) throw new Error(made.stderr);
}

t.test('bank:check with a .p12', { skip: !hasOpenssl && 'openssl is not on this machine' }, async (t) => {
  exported(certificates.client);
  const bank = await openBank(t, 'efi', certificates);
  const p12 = { ...without, PIX_P12_FILE: file };

  const right = await run(bank, { pay: true, env: { ...p12, PIX_P12_PASSWORD: password } });
  const text = right.lines.join('\n');
  t.ok(right.works, text);
  t.match(text, /✓ TLS and certificate: .*we are client, until \d{4}/);
  t.notMatch(text, password);

  const none = await run(bank, { env: without });
  t.equal(none.failed, 'TLS and certificate', 'the bank insists');

  for (const wrong of [{ PIX_P12_PASSWORD: 'errada' }, {}]) {
    const { works, lines } = await run(bank, { env: { ...p12, ...wrong } });
    t.notOk(works);
    t.same(lines, ["✗ settings: PIX_P12_FILE can't be used: PIX_P12_PASSWORD is not its password"]);
  }
});
