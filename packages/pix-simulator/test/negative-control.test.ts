import { createPixClient, type PixClient } from '@payments/pix/client';
import { tokenUrlOf } from '@payments/pix/profiles/addresses';
import { profiles } from '@payments/pix/profiles/all';
import { bacen } from '@payments/pix/profiles/bacen';
import type { Profile } from '@payments/pix/profiles/profile';
import t from 'tap';
import { buildSimulator } from '../src/app.ts';
import { type BankName, banks, basePaths } from '../src/banks/all.ts';
import { KEY, txidOf } from './bank-under-test.ts';

/**
 * The client of the standard at each bank: where it fails, and why. Where it did not, the simulated bank would prove
 * nothing of the profile.
 */
const charge = { amount: 100, expiresInSeconds: 60 };
const unknownPix = 'E9999900420260101000012345678901';

/** The calls that a store needs, in the order in which it needs them. */
const steps: [string, (client: PixClient) => Promise<unknown>][] = [
  ['charge', (client) => client.putCharge(txidOf(1), charge)],
  ['missing charge', (client) => client.getCharge(txidOf(2))],
  ['missing refund', (client) => client.getRefund(unknownPix, 'r1')],
  ['quiet list', (client) => client.listPix({ from: minutesAgo(60), to: minutesAgo(0), page: 0 })],
  ['callback', (client) => client.registerCallback('https://payments.example/callback')],
  ['removal', (client) => client.cancelCharge(txidOf(1))],
];

async function failuresAt(psp: BankName, profile: Profile): Promise<string[]> {
  const app = buildSimulator({ profile: psp, clientId: 'client', clientSecret: 'secret' });
  const url = (await app.listen({ port: 0, host: '127.0.0.1' })) + basePaths[psp];
  const tokenUrl = tokenUrlOf(profiles[psp], url);
  const client = createPixClient({
    profile,
    url,
    tokenUrl,
    clientId: 'client',
    clientSecret: 'secret',
    key: KEY,
  });
  const failures: string[] = [];
  for (const [step, run] of steps) {
    const failure = await run(client).then(
      () => null,
      (error: Error) => error.message,
    );
    if (failure) failures.push(`${step}: ${failure}`);
    if (failure?.startsWith('token:')) break;
  }
  await client.close();
  await app.close();
  return failures;
}

const mustFail: BankName[] = ['efi', 'bb', 'itau', 'santander', 'inter', 'sicoob'];

for (const psp of Object.keys(banks) as BankName[]) {
  const { credentials, tokenFormat, grantIn, scopes } = profiles[psp];
  t.test(`the standard's client at ${psp}`, async (t) => {
    const plain = await failuresAt(psp, bacen);
    const withToken = await failuresAt(psp, { ...bacen, credentials, tokenFormat, grantIn, scopes });
    t.comment(`| ${psp} | as it is | ${plain.join('; ') || 'nothing fails'} |`);
    if (plain[0]?.includes(': token:'))
      t.comment(`| ${psp} | with a token | ${withToken.join('; ') || 'nothing fails'} |`);
    if (psp === 'bacen') t.same(plain, []);
    if (mustFail.includes(psp)) t.ok(plain.length > 0, psp);
  });
}

t.test('each deviation is a failure of its own, once a token is had', async (t) => {
  const expected: [BankName, RegExp[]][] = [
    ['efi', [/^missing charge: .*cobranca_nao_encontrada/, /^missing refund/, /^callback: .*TLS mútuo/]],
    ['bb', [/^charge: .*401/]],
    ['itau', [/^charge: .*403/]],
    ['santander', [/^removal: /]],
    ['sicoob', [/^charge: .*401/]],
  ];
  for (const [psp, patterns] of expected) {
    const { credentials, tokenFormat, grantIn, scopes } = profiles[psp];
    const failures = await failuresAt(psp, { ...bacen, credentials, tokenFormat, grantIn, scopes });
    for (const pattern of patterns)
      t.ok(
        failures.some((one) => pattern.test(one)),
        `${psp}: ${failures.join('; ')}`,
      );
  }
});

t.test('Banco do Brasil and Itaú list nothing in a way that the standard does not know', async (t) => {
  for (const psp of ['bb', 'itau'] as const) {
    const { nothing, ...own } = profiles[psp];
    const failures = await failuresAt(psp, { ...own, nothing: [] });
    t.ok(
      failures.some((one) => one.startsWith('quiet list: ')),
      `${psp}: ${failures.join('; ')}`,
    );
  }
});

function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000);
}
