import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { callJson } from '@payments/testing/json-client';
import { z } from 'zod';
import { readDemoStore } from '../demo-store.ts';
import { payAtBank } from '../pay-at-bank.ts';
import { readBankUrls } from '../simulated-banks.ts';
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
 * production. It is the demo store's, whose token works nowhere else, charges at simulated banks by its own record, and
 * its own document must say that it is here.
 * @throws NotALaptop
 */
export async function findLaptop(
  { ports, dataDir }: Pick<StartSettings, 'ports' | 'dataDir'>,
  env: NodeJS.ProcessEnv,
): Promise<Laptop> {
  assertNoRealMoney(env);
  const api = `http://localhost:${ports.API_PORT}`;
  const token = readDemoStore(dataDir)?.token;
  if (token === undefined) throw new NotALaptop('npm start has not made its demo store yet');
  const banks = readBankUrls(dataDir);
  if (banks.length === 0) throw new NotALaptop('npm start charges at other banks than its simulated ones');
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

type Payment = { id: string; qrCopyPaste: string | null };

const amount = (description: string) => z.number().positive().multipleOf(0.01).describe(description);
const id = z.uuid().describe('The payment’s id');

/** How the simulated bank fails, as `POST /bank/faults` takes it; the simulator has more. */
const faults = {
  status: z.number().int().min(400).max(599).optional().describe('Its API answers with this status'),
  only: z.array(z.string()).optional().describe('Limits status to these operations, such as putCob'),
  times: z.number().int().min(0).optional().describe('Ends status after so many calls'),
  dropCallbacks: z.boolean().optional().describe('It reports no Pix: the service finds them by itself'),
  duplicateCallbacks: z.boolean().optional().describe('It reports each Pix twice'),
  delayCallbacksMs: z.number().int().min(0).optional().describe('It reports late'),
  refuseRefunds: z.boolean().optional().describe('It refuses refunds'),
  slowRefundsMs: z.number().int().min(0).optional().describe('Refunds take so long'),
};

/** Adds the tools that act on `npm start`. Each judges the system anew before it acts. */
export function actOn(server: McpServer, findLaptop: () => Promise<Laptop>): void {
  const acting = { readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  server.registerTool(
    'create_payment',
    {
      title: 'Create a test payment',
      description: 'Creates a payment of the demo store of npm start on this machine.',
      inputSchema: {
        amount: amount('BRL, from 5 to 3000'),
        observation: z.string().max(2048).optional(),
        reference: z.string().min(1).max(100).optional().describe('Your own name for it, once in the store'),
        webhookUrl: z.url().optional(),
      },
      annotations: acting,
    },
    (body) => answer(({ api, token }) => callJson(`${api}/api-public/payments`, token, body)),
  );
  server.registerTool(
    'read_payment',
    {
      title: 'Read a test payment',
      description: 'Reads a payment of the demo store, with its Pix and what went back.',
      inputSchema: { id },
      annotations: { ...acting, readOnlyHint: true },
    },
    ({ id }) => answer(({ api, token }) => callJson(`${api}/api-public/payments/${id}?include=pix`, token)),
  );
  server.registerTool(
    'pay_payment',
    {
      title: 'Pay at the simulated bank',
      description:
        'Pays a payment of the demo store as a customer would, also another amount, or a second time.',
      inputSchema: { id, amount: amount('Pays this in the place of the charged amount').optional() },
      annotations: acting,
    },
    ({ id, amount }) =>
      answer(async ({ api, banks, token }) => {
        const { qrCopyPaste } = await callJson<Payment>(`${api}/api-public/payments/${id}`, token);
        if (qrCopyPaste === null) throw new Error('the bank has not registered the charge yet: try again');
        return payAtBank(banks, qrCopyPaste, amount === undefined ? {} : { valor: amount.toFixed(2) });
      }),
  );
  server.registerTool(
    'break_bank',
    {
      title: 'Break the simulated bank',
      description:
        'Makes the simulated bank fail, to see how your program and the service go on. repair_bank ends it.',
      inputSchema: faults,
      annotations: acting,
    },
    (wanted) =>
      answer(({ banks }) =>
        Promise.all(banks.map((bank) => callJson(`${bank}/bank/faults`, undefined, wanted))),
      ),
  );
  server.registerTool(
    'repair_bank',
    { title: 'Repair the simulated bank', description: 'Ends all its faults.', annotations: acting },
    () =>
      answer(({ banks }) =>
        Promise.all(banks.map((bank) => callJson(`${bank}/bank/faults`, undefined, undefined, 'DELETE'))),
      ),
  );

  async function answer(act: (laptop: Laptop) => Promise<unknown>): Promise<CallToolResult> {
    try {
      const result = await act(await findLaptop());
      return text(JSON.stringify(result, undefined, 2));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return failure(reason);
    }
  }
}

/** @returns a tool's answer */
export const text = (answer: string): CallToolResult => ({ content: [{ type: 'text', text: answer }] });

/** @returns a tool's answer that says what went wrong */
export const failure = (reason: string): CallToolResult => ({ ...text(reason), isError: true });
