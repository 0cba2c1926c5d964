import { callJson } from '@payments/testing/json-client';
import { type DemoStore, readDemoStore } from '../demo-store.ts';
import { StartError } from '../start-error.ts';
import { readStartSettings } from '../start-settings.ts';

export type DemoSecret = {
  secret: string;
  store: DemoStore;
  apiUrl: string;
  adminUrl: string;
  adminKey: string;
  dataDir: string;
};

/**
 * @returns the demo store's webhook secret, from a running `npm start`
 * @throws StartError that says what to do if there is none
 */
export async function demoSecret(env: NodeJS.ProcessEnv, folder: string): Promise<DemoSecret> {
  const { ports, dataDir, adminKey } = readStartSettings(env, folder);
  const adminUrl = `http://localhost:${ports.ADMIN_PORT}`;
  const otherwise = 'run npm start in another terminal first, or give a store’s secret with --secret';
  const store = readDemoStore(dataDir);
  if (!store) throw new StartError(`there is no demo store in ${dataDir}: ${otherwise}`);
  try {
    const url = `${adminUrl}/admin/stores/${store.storeId}/webhook-secret`;
    const { secret } = await callJson<{ secret: string }>(url, adminKey);
    return { secret, store, apiUrl: `http://localhost:${ports.API_PORT}`, adminUrl, adminKey, dataDir };
  } catch (error) {
    const reason = error instanceof TypeError ? `nothing answers at ${adminUrl}` : (error as Error).message;
    throw new StartError(`${reason}: ${otherwise}`);
  }
}
