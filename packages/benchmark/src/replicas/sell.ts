import { setTimeout as delay } from 'node:timers/promises';
import { call } from '@payments/testing/http';
import { startReceiver } from '@payments/testing/receiver';
import type { ReplicatedSystem } from '@payments/testing/replicated-system';

export type Sales = {
  created: number;
  /** Different webhooks that arrived; two a payment are due. */
  webhooks: number;
  /** The time of each creation, in milliseconds. */
  times: number[];
  /** How many creations got each other response, by its status and message. */
  refused: Record<string, number>;
};

const lastWebhooksMs = 30_000;

/** Creates payments at a rate, pays each, and waits for the last webhook. */
export async function sell(
  { createStore, bank, url }: ReplicatedSystem,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Sales> {
  const receiver = await startReceiver();
  const { token } = await createStore();
  const times: number[] = [];
  const refused: Record<string, number> = {};
  const sellOne = async () => {
    const from = performance.now();
    const body = { amount: 10, webhookUrl: receiver.url };
    const created = await call(`${url}/api-public/payments`, { token, body });
    if (created.status !== 200) {
      const says = `${created.status} ${created.body?.message ?? ''}`;
      refused[says] = (refused[says] ?? 0) + 1;
      return;
    }
    times.push(performance.now() - from);
    await bank('/bank/pay', { pixCopiaECola: created.body.qrCopyPaste });
  };
  const begun: Promise<void>[] = [];
  const start = performance.now();
  for (let number = 0; number < rate * seconds; number += 1) {
    await delay(Math.max(0, start + (number * 1_000) / rate - performance.now()));
    begun.push(sellOne());
  }
  await Promise.all(begun);
  const arrived = () => new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size;
  for (const until = Date.now() + lastWebhooksMs; arrived() < times.length * 2 && Date.now() < until; )
    await delay(50);
  const webhooks = arrived();
  await receiver.close();
  return { created: times.length, webhooks, times, refused };
}
