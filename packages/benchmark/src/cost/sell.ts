import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { BenchError } from '../options.ts';

export type Selling = {
  url: string;
  token: string;
  bankUrl: string;
  webhookUrls: readonly string[];
  /** Payments a second; 0 for as many as the connections create. */
  rate: number;
  seconds: number;
  unpaid: boolean;
};

const connections = 50;

/**
 * Creates payments and pays each at the bank.
 * @returns how many
 * @throws BenchError if a creation or a payment was refused
 */
export async function sell(selling: Selling): Promise<number> {
  const agent = new Agent({ connections, pipelining: 1 });
  const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      dispatcher: agent,
    });
    const answer = await response.body.text();
    if (response.statusCode > 201) throw new BenchError(`${url} answered ${response.statusCode}: ${answer}`);
    return JSON.parse(answer) as { qrCopyPaste: string };
  };
  const authorization = { authorization: `Bearer ${selling.token}` };
  const sellOne = async (index: number) => {
    const webhookUrl = selling.webhookUrls[index % selling.webhookUrls.length];
    const order = { amount: 19.9, email: 'cliente@example.com', observation: 'Pedido 12345', webhookUrl };
    const { qrCopyPaste } = await post(`${selling.url}/api-public/payments`, order, authorization);
    if (!selling.unpaid) await post(`${selling.bankUrl}/bank/pay`, { pixCopiaECola: qrCopyPaste });
  };
  try {
    return await (selling.rate === 0 ? asMany(selling, sellOne) : atRate(selling, sellOne));
  } finally {
    await agent.close();
  }
}

async function asMany({ seconds }: Selling, sellOne: (index: number) => Promise<void>): Promise<number> {
  const until = performance.now() + seconds * 1_000;
  let sold = 0;
  const seller = async () => {
    while (performance.now() < until) await sellOne(sold++);
  };
  await Promise.all(Array.from({ length: connections }, seller));
  return sold;
}

async function atRate(
  { rate, seconds }: Selling,
  sellOne: (index: number) => Promise<void>,
): Promise<number> {
  const start = performance.now();
  const begun: Promise<void>[] = [];
  for (let index = 0; index < rate * seconds; index += 1) {
    for (const at = start + (index * 1_000) / rate; performance.now() < at; )
      await delay(Math.max(0, at - performance.now()));
    begun.push(sellOne(index));
  }
  await Promise.all(begun);
  return begun.length;
}
