import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSimulator } from '@payments/pix-simulator/app';
import { type BankName, basePaths } from '@payments/pix-simulator/banks/all';
import { makeCertificates } from '../../pix-simulator/test/certificates.ts';
import { checkBank } from '../src/check.ts';

export type Teardown = { teardown(run: () => unknown): void; testdir(): string };
export type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

export const secret = 'um-segredo-de-verdade';
const key = 'pix@example.com';

/** A bank over TLS, with what a newcomer has of it. */
export type Bank = {
  app: ReturnType<typeof buildSimulator>;
  env: Record<string, string>;
  certificates: Certificates;
};

export async function certificatesIn(t: Teardown): Promise<Certificates> {
  return makeCertificates(t.testdir());
}

export async function openBank(
  t: Teardown,
  psp: BankName,
  certificates: Certificates,
  scopes?: string[],
): Promise<Bank> {
  const app = buildSimulator({
    profile: psp,
    clientId: 'loja',
    clientSecret: secret,
    key,
    unlimited: true,
    tls: { ...certificates.bank, clientCaFile: certificates.clientCaFile },
    ...(scopes && { scopes }),
  });
  const host = await app.listen({ port: 0, host: '127.0.0.1' });
  t.teardown(() => app.close());
  const env = {
    PIX_PSP: psp,
    PIX_URL: host + basePaths[psp],
    PIX_CLIENT_ID: 'loja',
    ...(psp !== 'sicoob' && { PIX_CLIENT_SECRET: secret }),
    PIX_KEY: key,
    PIX_APP_KEY: 'chave-do-aplicativo',
    PIX_CERT_FILE: certificates.client.certFile,
    PIX_KEY_FILE: certificates.client.keyFile,
    PIX_CA_FILE: certificates.bankCaFile,
    ADMIN_KEY: 'chave-da-administracao',
    // PagBank's callback is registered by hand.
    ...(psp !== 'pagbank' && { PUBLIC_URL: await service(t) }),
  };
  return { app, env, certificates };
}

/** A stand-in for the running API: it answers whoever tries the callback. */
async function service(t: Teardown): Promise<string> {
  const server = createServer((request, answer) => {
    answer.statusCode = request.url?.startsWith('/pix-callback/') ? 200 : 404;
    answer.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

export type Change = {
  env?: Record<string, string>;
  now?: () => Date;
  pay?: boolean;
  payWithinMs?: number;
  signal?: AbortSignal;
  /** Stands for the payer: gets the code that is printed. Default: pays. */
  onCode?: (code: string) => unknown;
};

export type Run = { works: boolean; lines: string[]; failed: string | undefined };

export async function run({ app, env }: Bank, change: Change = {}): Promise<Run> {
  const lines: string[] = [];
  const payNow = (code: string) => payAt(app, code);
  const { now = () => new Date(), pay = false, onCode = payNow, payWithinMs = 2_000 } = change;
  const { signal = new AbortController().signal } = change;
  const print = (text: string) => {
    lines.push(...text.split('\n'));
    const code = /^ {2}(000201.+)$/m.exec(text)?.[1];
    if (code) void onCode(code);
  };
  const options = { pay, payWithinMs, endWithinMs: 10_000, signal, now, print };
  const works = await checkBank({ ...env, ...change.env }, options);
  return { works, lines, failed: /^✗ ([^:]+):/m.exec(lines.join('\n'))?.[1] };
}

export async function payAt(app: Bank['app'], pixCopiaECola: string): Promise<void> {
  await app.inject({ method: 'POST', url: '/bank/pay', payload: { pixCopiaECola } });
}
