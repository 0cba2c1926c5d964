import { call } from '@payments/testing/http';
import { systemClient } from '@payments/testing/system-client';
import { pause, until } from '../load/world.ts';
import type { Fault, Scene, Undo } from './fault.ts';

/** One store does all it can to take the webhooks of the others: its receivers hang, and it sells on. */
export const oneStoreFaults: Fault[] = [
  {
    name: 'one-store-hangs-proven',
    lasts: [6, 10],
    targets: (scene) => [
      {
        name: 'one store',
        kind: 'receivers',
        hit: async () => {
          const urls = ['proven-1', 'proven-2', 'proven-3', 'proven-4'].map(scene.receivers.lone.at);
          const urlOf = (sale: number) => urls[sale % urls.length] as string;
          const store = await openStore(scene);
          // Every dispatcher has to see its receivers succeed.
          const sales = Array.from({ length: provingSales }, (_, sale) => sell(scene, store, urlOf(sale)));
          await Promise.all(sales);
          return hang(scene, store, urlOf);
        },
      },
    ],
  },
  {
    name: 'one-store-hangs-everywhere',
    lasts: [6, 10],
    targets: (scene) => [
      {
        name: 'one store',
        kind: 'receivers',
        hit: async () =>
          hang(scene, await openStore(scene), (sale) => scene.receivers.lone.at(`sale-${sale}`)),
      },
    ],
  },
];

/** The name of the store that attacks the others. It is a real one. */
export const storeOfFaults = 'a store that hangs';

const provingSales = 24;
const salesAtMost = 300;
const saleEveryMs = 20;

async function openStore({ system }: Scene): Promise<string> {
  const client = systemClient({ ...system, bankUrl: '' });
  // Other faults may be under way.
  const open = () => client.createStore({ name: storeOfFaults }).then(tokenOf, () => undefined);
  const token = await until(60_000, open);
  if (token === undefined) throw new Error('the store of a fault could not be created');
  return token;
}

const tokenOf = ({ token }: { token: string | undefined }) => token;

/** A sale may fail amid other faults. */
const sell = async ({ system }: Scene, token: string, webhookUrl: string) =>
  void (await call(`${system.url}/api-public/payments`, { token, body: { amount: 10, webhookUrl } }).catch(
    () => {},
  ));

/** Sells while the store's receivers hang, until the end of the fault. */
async function hang(scene: Scene, token: string, urlOf: (sale: number) => string): Promise<Undo> {
  const { lone } = scene.receivers;
  let isOver = false;
  lone.hang(true);
  const selling = (async () => {
    for (let sale = 0; sale < salesAtMost && !isOver; sale += 1) {
      void sell(scene, token, urlOf(sale));
      await pause(saleEveryMs);
    }
  })();
  return async () => {
    isOver = true;
    await selling;
    lone.hang(false);
  };
}

/** True for the faults that may slow no other store at all. */
export const isOfOneStore = ({ fault }: { fault: string }) =>
  oneStoreFaults.some(({ name }) => name === fault);
