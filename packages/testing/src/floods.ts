import { randomBytes, randomUUID } from 'node:crypto';

/** Requests of one caller, many at once, that none of the others may feel (Design: Bounds). */
export type Flood = {
  name: 'searches-at-once' | 'wrong-sign-ins-at-once' | 'unknown-tokens-at-once';
  /** Its requests at once. */
  count: number;
  /** @returns what sends one of them */
  open(target: FloodTarget): Promise<() => Promise<Response>>;
};

export type FloodTarget = {
  url: string;
  adminUrl: string;
  /** A key that may search. */
  key: string;
};

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

export const floods: readonly Flood[] = [
  {
    name: 'searches-at-once',
    count: 250,
    // Two letters are in no index: each search reads every payment.
    open: async ({ adminUrl, key }) => {
      return () => fetch(`${adminUrl}/admin/payments?q=zq`, bearer(key));
    },
  },
  {
    name: 'wrong-sign-ins-at-once',
    count: 1_000,
    open: async ({ adminUrl }) => {
      const page = `${adminUrl}/panel/sign-in`;
      const { headers, _csrf } = await openForm(page);
      const password = 'uma frase de ninguém';
      const body = () => new URLSearchParams({ _csrf, password, email: `${randomUUID()}@loja.example` });
      return () => fetch(page, { method: 'POST', redirect: 'manual', headers, body: body() });
    },
  },
  {
    name: 'unknown-tokens-at-once',
    count: 2_000,
    open: async ({ url }) => {
      const token = () => `pp_${randomBytes(32).toString('base64url')}`;
      return () => fetch(`${url}/api-public/payments?limit=1`, bearer(token()));
    },
  },
];

/** Sends all requests of a flood at once. @returns how often each status was answered; 0 for no answer */
export async function sendAtOnce(
  { count, open }: Flood,
  target: FloodTarget,
): Promise<Record<number, number>> {
  const ask = await open(target);
  const statuses: Record<number, number> = {};
  const one = async () => {
    const status = await ask().then(
      async (answer) => {
        await answer.arrayBuffer();
        return answer.status;
      },
      () => 0,
    );
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  await Promise.all(Array.from({ length: count }, one));
  return statuses;
}

/** Opens the form of the sign-in. @returns its token, and the cookies of the browser that has it */
async function openForm(page: string): Promise<{ headers: Record<string, string>; _csrf: string }> {
  const answer = await fetch(page);
  const [, _csrf = ''] = /name="_csrf" value="([^"]+)"/.exec(await answer.text()) ?? [];
  const cookies = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
  return { headers: { cookie: cookies.join('; ') }, _csrf };
}
