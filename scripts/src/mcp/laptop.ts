import { callJson } from '@payments/testing/json-client';
import { readDemoStore } from '../demo-store.ts';
import { simulatedBankUrls } from '../simulated-banks.ts';
import type { StartSettings } from '../start-settings.ts';

/** A running `npm start`: the only system on which an assistant may act. */
export type Laptop = { api: string; banks: string[]; token: string };

/** Why an assistant may not act; the message says it. */
export class NotALaptop extends Error {
  override name = 'NotALaptop';
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** @returns whether an address is this machine's own */
export function isLoopback(address: string): boolean {
  return URL.canParse(address) && loopback.test(new URL(address).hostname);
}

/**
 * Judges by the settings whether an assistant may act here at all: with a real bank or in production there are no tools
 * that move money, whatever is asked.
 * @throws NotALaptop
 */
export function assertNoRealMoney(env: NodeJS.ProcessEnv): void {
  if (env.NODE_ENV === 'production') throw new NotALaptop('NODE_ENV is production');
  for (const name of ['PIX_URL', 'BANKS_FILE'])
    if (env[name]) throw new NotALaptop(`${name} may name a real bank`);
  for (const name of ['PUBLIC_URL', 'ADMIN_URL'])
    if (env[name] && !isLoopback(env[name])) throw new NotALaptop(`${name} is not this machine`);
}

/**
 * Finds the running system, and judges it anew at each call: what answers on this machine's port may be a tunnel to
 * production. It is the demo store's, whose token works nowhere else, and its own document must say that it is here.
 * @throws NotALaptop
 */
export async function findLaptop(
  { ports, dataDir }: Pick<StartSettings, 'ports' | 'dataDir'>,
  env: NodeJS.ProcessEnv,
): Promise<Laptop> {
  assertNoRealMoney(env);
  const at = (port: number | undefined) => `http://localhost:${port}`;
  const api = at(ports.API_PORT);
  const named = simulatedBankUrls(dataDir);
  const banks = named.length > 0 ? named : [at(ports.SIMULATOR_PORT)];
  const other = [api, ...banks].find((address) => !isLoopback(address));
  if (other !== undefined) throw new NotALaptop(`${other} is not this machine`);
  const token = readDemoStore(dataDir)?.token;
  if (token === undefined) throw new NotALaptop('npm start has not made its demo store yet');
  const { servers = [] } = await documentOf(api);
  const foreign = servers.find(({ url }) => !isLoopback(url));
  if (servers.length === 0 || foreign !== undefined)
    throw new NotALaptop(`what answers at ${api} serves ${foreign?.url ?? 'nobody knows where'}`);
  return { api, banks, token };
}

async function documentOf(api: string): Promise<{ servers?: { url: string }[] }> {
  try {
    return await callJson(`${api}/docs/json`, undefined);
  } catch {
    throw new NotALaptop(`npm start does not run at ${api}`);
  }
}
