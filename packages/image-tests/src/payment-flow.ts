import { setTimeout as delay } from 'node:timers/promises';
import { callJson } from '@payments/testing/json-client';
import type { SeenWebhook } from './receiver-program.ts';

/** The addresses of a running system from this machine, and of the receiver from the dispatcher. */
export type SystemUrls = {
  api: string;
  admin: string;
  dispatcher: string;
  simulator: string;
  receiver: string;
  webhookUrl: string;
};

type Payment = { id: string; status: string; qrCopyPaste: string | null; qrCodeUrl: string | null };

const patienceMs = 60_000;

/**
 * Runs the whole flow from outside: a store is created, charges and is paid, and sees that by webhook and by reading.
 * @throws an error that names the failed step
 */
export async function payOnce(urls: SystemUrls, adminKey: string): Promise<void> {
  const { token } = await createStore(urls, adminKey, { name: 'Loja' });
  const { id, qrCopyPaste } = await charge(urls, token);
  await callJson(`${urls.simulator}/bank/pay`, undefined, { pixCopiaECola: qrCopyPaste });
  await untilApproved(urls, token, id);
  // These responses come from files, which an image may lack.
  await answers(`${urls.api}/qr/${id}.png`, 'image/png');
  await answers(`${urls.api}/docs`, 'text/html');
  await answers(`${urls.api}/docs/guide`, 'text/html');
  await answers(`${urls.admin}/panel/sign-in`, 'text/html');
  // An invitation leads to the panel, by the address that the installation was told.
  const person = { name: 'Ana', email: 'ana@loja.example', role: 'viewer' };
  const accounts = `${urls.admin}/admin/accounts`;
  const { invitationUrl } = await callJson<{ invitationUrl: string }>(accounts, adminKey, person);
  await answers(invitationUrl, 'text/html');
}

/**
 * Runs the flow of a test store, whose customer is the test bank: the bank does what the store asks for.
 * @throws an error that names the failed step
 */
export async function payAtTestBank(urls: SystemUrls, adminKey: string): Promise<void> {
  const { token } = await createStore(urls, adminKey, { name: 'Loja de teste', test: true });
  if (!token.startsWith('pp_test_')) throw new Error('a test store got the token of a real one');
  const { id } = await charge(urls, token);
  await callJson(`${urls.api}/api-public/payments/${id}/test`, token, { do: 'pay' });
  await untilApproved(urls, token, id);
}

async function createStore(urls: SystemUrls, adminKey: string, asked: object): Promise<{ token: string }> {
  const { id } = await callJson<{ id: string }>(`${urls.admin}/admin/stores`, adminKey, asked);
  const tokens = `${urls.admin}/admin/stores/${id}/tokens`;
  return callJson<{ token: string }>(tokens, adminKey, {});
}

const read = (urls: SystemUrls, token: string, id: string) =>
  callJson<Payment>(`${urls.api}/api-public/payments/${id}`, token);

/** @returns a payment that has a code to pay */
async function charge(urls: SystemUrls, token: string): Promise<Payment> {
  const request = { amount: 19.9, webhookUrl: urls.webhookUrl };
  const { id } = await callJson<Payment>(`${urls.api}/api-public/payments`, token, request);
  return until('a code to pay', async () => {
    const payment = await read(urls, token, id);
    return payment.qrCopyPaste === null ? undefined : payment;
  });
}

async function untilApproved(urls: SystemUrls, token: string, id: string): Promise<void> {
  await until('approval', async () => (await read(urls, token, id)).status === 'approved' || undefined);
  await until('both webhooks', async () => {
    const seen = await callJson<SeenWebhook[]>(urls.receiver, undefined);
    const ids = new Set(seen.filter(({ paymentId }) => paymentId === id).map(({ webhookId }) => webhookId));
    return ids.size === 2 || undefined;
  });
}

async function answers(url: string, type: string): Promise<void> {
  const { status, headers } = await fetch(url);
  if (status !== 200 || !headers.get('content-type')?.startsWith(type)) throw new Error(`${url}: ${status}`);
}

/**
 * @returns the milliseconds until an address responds 200
 * @throws an error after a minute
 */
export async function untilReady(url: string): Promise<number> {
  const since = performance.now();
  await until(`${url} to answer 200`, async () => {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.ok || undefined;
  });
  return Math.round(performance.now() - since);
}

async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${patienceMs / 1_000} s in vain for ${what}`);
    await delay(20);
  }
}
