import { callJson } from '@payments/testing/json-client';
import { createClient } from 'public-payments-client';
import { payAtBank } from '../pay-at-bank.ts';
import { type SeedPayment, type SeedStore, type Step, seedStores } from './stores.ts';

export type Addresses = { apiUrl: string; adminUrl: string; adminKey: string; bankUrls: string[] };

/**
 * Fills a running system for a demonstration. All of it is made as stores, customers and administrators make it: over
 * the API, at the simulated bank, and over the admin API. Stores that are there already stay as they are.
 * @returns the names of the new stores
 */
export async function seedData(at: Addresses): Promise<string[]> {
  const { items } = await callJson<{ items: { name: string }[] }>(`${at.adminUrl}/admin/stores`, at.adminKey);
  const known = new Set(items.map(({ name }) => name));
  const missing = seedStores.filter(({ fields }) => !known.has(fields.name));
  await Promise.all(missing.map((store) => seedStore(at, store)));
  return missing.map(({ fields }) => fields.name);
}

async function seedStore(at: Addresses, { fields, payments }: SeedStore): Promise<void> {
  const stores = `${at.adminUrl}/admin/stores`;
  const { id } = await callJson<{ id: string }>(stores, at.adminKey, fields);
  const { token } = await callJson<{ token: string }>(`${stores}/${id}/tokens`, at.adminKey, {});
  for (const payment of payments) await seedPayment(at, token, payment);
}

async function seedPayment(at: Addresses, token: string, { steps, ...fields }: SeedPayment): Promise<void> {
  const client = createClient({ baseUrl: at.apiUrl, token });
  const { id } = await client.create({ ...fields, email: 'cliente@example.com' });
  const { qrCopyPaste } = await client.waitFor(id, { until: () => true });
  if (qrCopyPaste === null) throw new Error(`the bank has not registered “${fields.observation}”`);
  const administer = (path: string, body: object) =>
    callJson(`${at.adminUrl}/admin/payments/${id}/${path}`, at.adminKey, body);
  const take = (step: Step): Promise<unknown> => {
    if ('pay' in step)
      return payAtBank(at.bankUrls, qrCopyPaste, step.pay === 'exactly' ? undefined : step.pay);
    if ('until' in step) {
      return client.waitFor(id, {
        until: (status) => status === step.until,
        intervalMs: 200,
        timeoutMs: 30_000,
      });
    }
    if ('status' in step) return administer('status', { status: step.status, reason: 'Demonstração' });
    return administer('refunds', {
      ...(step.refund !== 'all' && { amount: step.refund }),
      reason: 'Demonstração',
    });
  };
  for (const step of steps) await take(step);
}
