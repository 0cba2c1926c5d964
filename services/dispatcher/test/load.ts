import type { CreatedPayment } from '@payments/testing/answers';
import type { HttpAnswer } from '@payments/testing/http';
import type { Shop } from './shop.ts';

export type Load = {
  /** Payments whose creation got a 200, so far. */
  created: CreatedPayment[];
  /** Every other response: its status and body. */
  refused: HttpAnswer[];
  /** Ends it; resolves when the last response has come. */
  stop(): Promise<void>;
};

/** Creates payments in turn, `atOnce` at a time, and pays them on request. */
export function startLoad(shop: Shop, { atOnce, pay }: { atOnce: number; pay: boolean }): Load {
  const { system, store, webhookUrl } = shop;
  const created: CreatedPayment[] = [];
  const refused: Load['refused'] = [];
  let stopped = false;
  const client = async () => {
    while (!stopped) {
      const answer = await system.api('/api-public/payments', {
        token: store.token,
        body: { amount: 10, webhookUrl },
      });
      if (answer.status !== 200) refused.push(answer);
      else {
        created.push(answer.body);
        if (pay) await shop.pay(answer.body);
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  };
  const clients = Array.from({ length: atOnce }, client);
  return {
    created,
    refused,
    stop: async () => {
      stopped = true;
      await Promise.all(clients);
    },
  };
}
