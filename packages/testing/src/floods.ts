import { randomBytes, randomUUID } from 'node:crypto';

/** Requests of one caller, as many at once as its name says, that none of the others may feel (Design: Bounds). */
export type Flood = {
  name: 'searches-at-once' | 'wrong-sign-ins-at-once' | 'unknown-tokens-at-once';
  /** @returns how often each status was answered; 0 for no answer */
  send(target: FloodTarget): Promise<Record<number, number>>;
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
    // Two letters are in no index: each search reads every payment.
    send: ({ adminUrl, key }) => atOnce(250, `${adminUrl}/admin/payments?q=zq`, () => bearer(key)),
  },
  {
    name: 'wrong-sign-ins-at-once',
    send: async ({ adminUrl }) => {
      const page = `${adminUrl}/panel/sign-in`;
      const { headers, _csrf } = await openForm(page);
      const password = 'uma frase de ninguém';
      return atOnce(1_000, page, () => ({
        method: 'POST',
        redirect: 'manual',
        headers,
        body: new URLSearchParams({ _csrf, password, email: `${randomUUID()}@loja.example` }),
      }));
    },
  },
  {
    name: 'unknown-tokens-at-once',
    send: ({ url }) =>
      atOnce(2_000, `${url}/api-public/payments?limit=1`, () =>
        bearer(`pp_${randomBytes(32).toString('base64url')}`),
      ),
  },
];

async function atOnce(count: number, url: string, request: () => RequestInit) {
  const statuses: Record<number, number> = {};
  const one = async () => {
    const status = await fetch(url, request()).then(
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
