import { readProblem } from '@payments/pix/problem';
import { bacen } from '@payments/pix/profiles/bacen';
import { tokenRequest } from '@payments/pix/token';
import { addressesOf, call, checkOurs, connectionFailure } from './connection.ts';
import { CheckFailed } from './failure.ts';
import type { State, Step } from './state.ts';

const longestSkewMs = 60_000;

/** The way to a token: DNS, TLS, clock, credentials, scopes. */
export const accessSteps: Step[] = [
  {
    name: 'address',
    advice: 'Check PIX_URL and PIX_TOKEN_URL.',
    isGate: true,
    run: async ({ options, tokenUrl }) => {
      const found = new Set([await addressesOf(tokenUrl), await addressesOf(options.url)]);
      return [...found].join('; ');
    },
  },
  {
    name: 'TLS and certificate',
    advice: 'Check the certificates.',
    isGate: true,
    run: async (state) => {
      checkOurs(state.tls, state.now());
      const hosts = new Set([new URL(state.tokenUrl).origin, new URL(state.options.url).origin]);
      const said: string[] = [];
      for (const origin of hosts) said.push(await connectTo(state, origin));
      return said.join('; ');
    },
  },
  {
    name: 'clock',
    advice: 'Set this machine’s clock by NTP.',
    isGate: true,
    run: async ({ bankTime, now }) => {
      if (!bankTime) return 'the bank does not tell the time';
      const skewMs = now().getTime() - bankTime.getTime();
      if (Math.abs(skewMs) <= longestSkewMs) return 'within a minute of the bank’s';
      const seconds = Math.round(Math.abs(skewMs) / 1_000);
      const way = skewMs > 0 ? 'ahead of' : 'behind';
      throw new CheckFailed(
        `this machine is ${seconds} s ${way} the bank`,
        'Set this machine’s clock by NTP.',
      );
    },
  },
  {
    name: 'token',
    advice: 'Check PIX_CLIENT_ID and PIX_CLIENT_SECRET, and that they are of this environment.',
    isGate: true,
    run: token,
  },
  {
    name: 'scopes',
    advice: 'Have the missing ones granted to the application at the bank.',
    run: async ({ grantedScopes, options }) => {
      if (!grantedScopes) return 'the bank does not tell which it grants';
      const { scopes } = options.profile ?? bacen;
      const needed = scopes.length > 0 ? scopes : bacen.scopes;
      const missing = needed.filter((scope) => !grantedScopes.includes(scope));
      if (missing.length === 0) return needed.join(' ');
      throw new CheckFailed(
        `not granted: ${missing.join(' ')}`,
        'Have them granted to the application at the bank.',
      );
    },
  },
];

async function connectTo(state: State, origin: string): Promise<string> {
  const { host } = new URL(origin);
  // The standard binds tokens to the certificate, so both hosts must see it.
  const reply = await call({ url: `${origin}/`, method: 'GET', tls: state.tls }).catch((error: unknown) => {
    throw connectionFailure(host, error);
  });
  if (reply.headers.date) state.bankTime = new Date(String(reply.headers.date));
  if (reply.bank === null) return `${host}: no TLS, a simulated bank`;
  state.ours = reply.ours ?? 'none';
  return `${host}: the bank is ${reply.bank}; we are ${reply.ours ?? 'nobody: no certificate'}`;
}

async function token(state: State): Promise<string> {
  const { options, tokenUrl: url, tls, secrets } = state;
  const { clientId, clientSecret = '', profile = bacen } = options;
  const asked = tokenRequest({ url, clientId, clientSecret, profile });
  const reply = await call({ ...asked, url: asked.origin + asked.path, tls }).catch((error: unknown) => {
    throw connectionFailure(new URL(url).host, error);
  });
  const body = parsed(reply.body);
  if (reply.status >= 300 || typeof body?.access_token !== 'string')
    throw refusedToken(reply.status, body, secrets);
  secrets.push(body.access_token);
  if (typeof body.scope === 'string') state.grantedScopes = body.scope.split(' ').filter(Boolean);
  return `given for ${Number(body.expires_in) || 'an unknown number of'} s`;
}

function refusedToken(status: number, body: Record<string, unknown> | null, secrets: string[]): CheckFailed {
  const { type, detail } = readProblem(body, secrets);
  const words = [type, detail].filter(Boolean).join(': ');
  const exchange = `token, status ${status}`;
  const said = `the bank refused with ${status}${words ? ` ${words}` : ''}`;
  if (type === 'invalid_scope')
    return new CheckFailed(
      said,
      'A scope was not granted: have it granted, or name those that were in PIX_SCOPES.',
      exchange,
    );
  const advice = 'Check PIX_CLIENT_ID and PIX_CLIENT_SECRET, and that they are of this environment.';
  return new CheckFailed(said, advice, exchange);
}

function parsed(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
