import { type BankName, banks } from '@payments/pix-simulator/banks/all';
import t from 'tap';
import { type Bank, certificatesIn, openBank, type Run, run, secret } from './newcomer.ts';

/** Each simulated bank, with everything right, and with each thing wrong that a newcomer gets wrong. */
const certificates = await certificatesIn(t);
const allOrNothing: BankName[] = ['inter', 'sicoob', 'pagbank'];
const mistakes: Record<string, { run: (bank: Bank) => Promise<Run>; step: string; except?: BankName[] }> = {
  secret: {
    run: (bank) => run(bank, { env: { PIX_CLIENT_SECRET: 'wrong' } }),
    step: 'token',
    except: ['sicoob'],
  },
  id: { run: (bank) => run(bank, { env: { PIX_CLIENT_ID: 'wrong' } }), step: 'token' },
  certificate: {
    run: (bank) => {
      const { certFile, keyFile } = bank.certificates.stranger;
      return run(bank, { env: { PIX_CERT_FILE: certFile, PIX_KEY_FILE: keyFile } });
    },
    step: 'TLS and certificate',
  },
  'no certificate': {
    run: (bank) => run(bank, { env: { PIX_CERT_FILE: '', PIX_KEY_FILE: '' } }),
    step: 'TLS and certificate',
  },
  CA: {
    run: (bank) => run(bank, { env: { PIX_CA_FILE: bank.certificates.clientCaFile } }),
    step: 'TLS and certificate',
  },
  'key of another certificate': {
    run: (bank) => run(bank, { env: { PIX_KEY_FILE: bank.certificates.stranger.keyFile } }),
    step: 'settings',
  },
  host: { run: (bank) => run(bank, { env: { PIX_URL: 'https://bank.invalid/v2' } }), step: 'address' },
  path: {
    run: (bank) => {
      const origin = new URL(bank.env.PIX_URL ?? '').origin;
      return run(bank, { env: { PIX_URL: `${origin}/wrong/path` } });
    },
    step: 'charge registered',
    // Its tokens are below the base.
    except: ['bacen'],
  },
  'Pix key': {
    run: (bank) => run(bank, { env: { PIX_KEY: 'other@example.com' } }),
    step: 'charge registered',
  },
  clock: { run: (bank) => run(bank, { now: () => new Date(Date.now() + 3_600_000) }), step: 'clock' },
  'callback address': {
    run: (bank) => run(bank, { env: { PUBLIC_URL: 'http://127.0.0.1:9' } }),
    step: 'callback address',
  },
  'callback of another program': {
    run: (bank) => run(bank, { env: { PUBLIC_URL: `${bank.env.PUBLIC_URL}/elsewhere` } }),
    step: 'callback address',
    except: ['pagbank'],
  },
};

function printsNoSecret(
  t: { notMatch(value: string, pattern: RegExp | string, name: string): unknown },
  { lines }: Run,
) {
  for (const word of [secret, 'chave-do-aplicativo', 'chave-da-administracao', 'BEGIN '])
    t.notMatch(lines.join('\n'), word, 'no secret');
}

for (const psp of Object.keys(banks) as BankName[]) {
  t.test(psp, async (t) => {
    const bank = await openBank(t, psp, certificates);
    const right = await run(bank, { pay: true });
    t.equal(right.failed, undefined, right.lines.join('\n'));
    t.ok(right.works);
    t.match(right.lines.join('\n'), /✓ given back: DEVOLVIDO/);
    t.match(right.lines.join('\n'), /✓ our mark: repeated in infoAdicionais/);
    printsNoSecret(t, right);

    for (const [name, { run: make, step, except = [] }] of Object.entries(mistakes)) {
      if (except.includes(psp)) continue;
      const wrong = await make(bank);
      t.equal(wrong.failed, step, `${name}: ${wrong.lines.join('\n')}`);
      t.notOk(wrong.works);
      printsNoSecret(t, wrong);
    }

    const narrow = await openBank(t, psp, certificates, ['cob.write', 'cob.read']);
    const scope = await run(narrow);
    t.equal(scope.failed, allOrNothing.includes(psp) ? 'token' : 'scopes', scope.lines.join('\n'));
    printsNoSecret(t, scope);
    t.same(
      bank.app.bank.conformity.violations.filter(({ url }) => !/nothing-here/.test(url)),
      [],
    );
  });
}

t.test('a bank’s support is told what was asked and answered', async (t) => {
  const bank = await openBank(t, 'efi', certificates);
  const { lines } = await run(bank, { env: { PIX_CLIENT_SECRET: 'wrong' } });
  const text = lines.join('\n');
  t.match(text, /For the bank’s support:\n.*time \d{4}-.*client loja\n.*certificate client, until \d{4}/);
  t.match(text, /token, status 401/);
});

t.test('a bank that leaves our mark out passes, and what that costs is said', async (t) => {
  const bank = await openBank(t, 'bacen', certificates);
  // The simulated bank forgets what it took, before the charge is read.
  bank.app.server.prependListener('request', ({ method }) => {
    if (method !== 'GET') return;
    for (const { terms } of bank.app.bank.ledger.charges.values()) delete terms.infoAdicionais;
  });
  const { works, lines } = await run(bank);
  t.ok(works);
  t.match(lines.join('\n'), /✓ our mark: infoAdicionais are left out\. After the loss of a database/);
});
