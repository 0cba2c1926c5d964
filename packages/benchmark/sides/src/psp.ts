import { Agent } from 'undici';

/**
 * The service's PSP call without its time-out, breaker and token renewal.
 * @returns a function that registers a charge (amount in reais) and returns its copy-and-paste code
 */
export async function connectToPsp(): Promise<(txid: string, amount: number) => Promise<string>> {
  const origin = process.env.PIX_URL ?? '';
  const key = process.env.PIX_KEY ?? '';
  const agent = new Agent({ connections: 64, pipelining: 1 });
  const authorization = `Bearer ${await tokenFrom(agent, origin)}`;
  const headers = { authorization, 'content-type': 'application/json', accept: 'application/json' };

  return async (txid, amount) => {
    const charge = {
      calendario: { expiracao: 86_400 },
      valor: { original: amount.toFixed(2) },
      chave: key,
    };
    const path = `/cob/${txid}`;
    const answer = await agent.request({
      origin,
      path,
      method: 'PUT',
      headers,
      body: JSON.stringify(charge),
    });
    return ((await answer.body.json()) as { pixCopiaECola: string }).pixCopiaECola;
  };
}

async function tokenFrom(agent: Agent, origin: string): Promise<string> {
  const credentials = `${process.env.PIX_CLIENT_ID}:${process.env.PIX_CLIENT_SECRET}`;
  const authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const answer = await agent.request({
    origin,
    path: '/oauth/token',
    method: 'POST',
    headers: { authorization, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  });
  return ((await answer.body.json()) as { access_token: string }).access_token;
}
