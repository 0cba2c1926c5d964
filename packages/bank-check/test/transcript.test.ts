import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Bank, certificatesIn, openBank, type Run, run } from './newcomer.ts';

/** The transcripts in the docs are what the program prints. `WRITE_TRANSCRIPT=1` writes them anew. */
const file = join(import.meta.dirname, '../../../deploy/banks/bank-check.md');
const certificates = await certificatesIn(t);

/** Texts that differ from run to run are written as at a bank. */
function settled({ lines }: Run): string {
  return (
    lines
      .join('\n')
      .replaceAll(/https:\/\/127\.0\.0\.1:\d+/g, 'https://bank.example')
      .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, 'https://payments.example.com')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'bank.example')
      .replaceAll('127.0.0.1 is 127.0.0.1', 'bank.example is 203.0.113.10')
      .replaceAll(/\b[0-9a-f]{32}\b/g, '01a209de5b1e7000a5f143d44f521cfb')
      .replaceAll(/until \d{4}-\d{2}-\d{2}/g, 'until 2027-11-23')
      .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '2026-11-23T12:00:00.000Z')
      .replaceAll(/E99999004\d{12}\w{11}/g, 'E99999004202611231200abcdefghijk')
      .replaceAll(/000201\S*qr\/\w{22}(.*)6304\w{4}/g, '00020101021226…$16304…')
      // Which of them comes is a matter of timing (TLS 1.3).
      .replaceAll(/: (EPIPE|ERR_SSL_\w+)$/gm, ': ECONNRESET')
      .replaceAll(/\d{4} s ahead/g, '3600 s ahead')
      .trimEnd()
  );
}

async function transcript(title: string, command: string, bank: Bank, change: Parameters<typeof run>[1]) {
  return `## ${title}\n\n\`\`\`\n$ ${command}\n${settled(await run(bank, change))}\n\`\`\`\n`;
}

t.test('the transcripts in the docs', async (t) => {
  const bank = await openBank(t, 'efi', certificates);
  const narrow = await openBank(t, 'sicredi', certificates, ['cob.write', 'cob.read', 'pix.read']);
  const inter = await openBank(t, 'inter', certificates, ['cob.write', 'cob.read']);
  const { certFile, keyFile } = certificates.stranger;
  const plain = 'npm run bank:check';
  const sections = [
    await transcript('Everything right', `${plain} -- --pay`, bank, { pay: true }),
    await transcript('A wrong secret', plain, bank, { env: { PIX_CLIENT_SECRET: 'wrong' } }),
    await transcript('Another certificate', plain, bank, {
      env: { PIX_CERT_FILE: certFile, PIX_KEY_FILE: keyFile },
    }),
    await transcript('A wrong authority', plain, bank, { env: { PIX_CA_FILE: certificates.clientCaFile } }),
    await transcript('Scopes that were not granted', plain, narrow, {}),
    await transcript('The same at Inter, which then gives no token', plain, inter, {}),
    await transcript('A Pix key of another account', plain, bank, { env: { PIX_KEY: 'other@example.com' } }),
    await transcript('A clock that is off', plain, bank, { now: () => new Date(Date.now() + 3_600_000) }),
    await transcript('Nobody at the callback’s address', plain, bank, {
      env: { PUBLIC_URL: 'http://127.0.0.1:9' },
    }),
  ];
  const page = `# What \`npm run bank:check\` prints

Made by a test against simulated banks (\`packages/bank-check/test/transcript.test.ts\`); addresses, ids and times are examples. A line begins with ✓ for a step that works, ✗ for one that fails, and – for one that does not apply. After ✗ it says what to do. It never prints a secret.

${sections.join('\n')}`;
  if (process.env.WRITE_TRANSCRIPT) writeFileSync(file, page);
  t.equal(readFileSync(file, 'utf8'), page);
});
