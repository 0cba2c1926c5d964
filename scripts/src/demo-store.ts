import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { callJson, UnexpectedAnswer } from '@payments/testing/json-client';

export type DemoStore = { storeId: string; token: string };

export type DemoStoreOptions = { dataDir: string; apiUrl: string; adminUrl: string; adminKey: string };

/** @returns the last start's demo store, with a new token if its token was replaced; else a new store */
export async function demoStore(options: DemoStoreOptions): Promise<DemoStore> {
  const known = readDemoStore(options.dataDir);
  if (known && (await tokenWorks(options.apiUrl, known.token))) return known;
  const storeId =
    known && (await storeExists(options, known.storeId)) ? known.storeId : await createStore(options);
  const tokens = `${options.adminUrl}/admin/stores/${storeId}/tokens`;
  const { token } = await callJson<{ token: string }>(tokens, options.adminKey, {});
  const store = { storeId, token };
  writeFileSync(demoStoreFile(options.dataDir), `${JSON.stringify(store, undefined, 2)}\n`, { mode: 0o600 });
  return store;
}

/** @returns the demo store of the last `npm start` on this DATA_DIR */
export function readDemoStore(dataDir: string): DemoStore | undefined {
  try {
    return JSON.parse(readFileSync(demoStoreFile(dataDir), 'utf8')) as DemoStore;
  } catch {
    return undefined;
  }
}

/** @returns the demo store's file */
const demoStoreFile = (dataDir: string) => join(dataDir, 'demo-store.json');

/** @returns the file from which the docs page offers the token; it exists, empty, before the store does */
export function offeredTokenFile(dataDir: string): string {
  const file = demoStoreFile(dataDir);
  mkdirSync(dataDir, { recursive: true });
  appendFileSync(file, '');
  // It holds a token, and an earlier start may have made it readable for everyone.
  chmodSync(file, 0o600);
  return file;
}

async function createStore({ adminUrl, adminKey }: DemoStoreOptions): Promise<string> {
  const store = { name: 'Loja de demonstração' };
  return (await callJson<{ id: string }>(`${adminUrl}/admin/stores`, adminKey, store)).id;
}

/** @returns whether the token works; another database knows neither the store nor the token */
function tokenWorks(apiUrl: string, token: string): Promise<boolean> {
  return unless([401], callJson(`${apiUrl}/api-public/payments?limit=1`, token));
}

function storeExists({ adminUrl, adminKey }: DemoStoreOptions, id: string): Promise<boolean> {
  return unless([404], callJson(`${adminUrl}/admin/stores/${id}`, adminKey));
}

async function unless(statuses: number[], call: Promise<unknown>): Promise<boolean> {
  try {
    await call;
    return true;
  } catch (error) {
    if (error instanceof UnexpectedAnswer && statuses.includes(error.status)) return false;
    throw error;
  }
}

export type Mail = { to: string; subject: string; text: string; receivedAt: string };

// A person who had a mail so recently gets the next ones of its kind together, later.
const collectedMs = 300_000;
const isRecentReview = ({ subject, receivedAt }: Mail) =>
  subject.includes('em análise') && Date.now() - Date.parse(receivedAt) < collectedMs;

/**
 * Waits for the mail about a payment in review, or takes the last one of the minutes in which they are collected.
 * @throws an error after `patienceMs` without a mail
 */
export async function reviewMail(mailbox: string, paymentId: string, patienceMs: number): Promise<Mail> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const mails = await callJson<Mail[]>(`${mailbox}/messages`, undefined).catch(() => {
      throw new Error(`no mailbox answers at ${mailbox}: set MAILBOX_PORT as npm start printed it`);
    });
    const found = mails.find((mail) => mail.text.includes(paymentId)) ?? mails.find(isRecentReview);
    if (found) return found;
    if (Date.now() > deadline) throw new Error(`no mail within ${patienceMs / 1000} s`);
    await delay(250);
  }
}
