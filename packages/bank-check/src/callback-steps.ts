import { callbackSecretOf, callbackUrlOf } from '@payments/pix/callback';
import { call } from './connection.ts';
import { CheckFailed } from './failure.ts';
import type { State, Step } from './state.ts';

/** Calls the address that the service would register, then registers it. */
export const callbackSteps: Step[] = [
  {
    name: 'callback address',
    advice: 'Start the API first, and check PUBLIC_URL or PIX_CALLBACK_URL.',
    run: async (state) => {
      const url = addressOf(state);
      return url && tried(url);
    },
  },
  {
    name: 'callback registered',
    advice:
      'The bank’s words say what it wants of the address. Without a callback, lists still find every Pix, later.',
    run: async ({ client, ...state }) => {
      const url = addressOf(state);
      if (!url) return null;
      const before = await client.getCallback().catch(() => null);
      if (before !== url) await client.registerCallback(url);
      const note = before && before !== url ? `, in the place of ${new URL(before).origin}` : '';
      return `${new URL(url).origin}/pix-callback/…${note}`;
    },
  },
];

function addressOf({ bank, settings, secrets }: Pick<State, 'bank' | 'settings' | 'secrets'>): string | null {
  const base = settings.PIX_CALLBACK_URL ?? settings.PUBLIC_URL;
  const from = settings.PIX_CLIENT_SECRET ?? settings.ADMIN_KEY;
  if (!base || !from) return null;
  const secret = callbackSecretOf(bank, from);
  secrets.push(secret);
  return callbackUrlOf(base, secret);
}

async function tried(url: string): Promise<string> {
  const { origin } = new URL(url);
  const advice = 'Start the API first, and check PUBLIC_URL or PIX_CALLBACK_URL: banks try the address.';
  const reply = await call({ url, method: 'POST', tls: {} }).catch((error: NodeJS.ErrnoException) => error);
  if (!(reply instanceof Error)) {
    if (reply.status >= 200 && reply.status < 300) return `${origin} answers ${reply.status}`;
    throw new CheckFailed(`${origin} answers ${reply.status}, not 200`, advice);
  }
  // A certificate of the address that we don't trust is another matter: banks won't either.
  const asksForCertificate = /ALERT|ECONNRESET|EPIPE/.test(`${reply.code} ${reply.message}`);
  if (asksForCertificate) return `${origin} asks for a bank's certificate`;
  throw new CheckFailed(`${origin}: ${reply.code}`, advice);
}
