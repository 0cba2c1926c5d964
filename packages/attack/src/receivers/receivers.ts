import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { Observations, SeenStore, Visit } from '../observations.ts';
import type { Random } from '../random.ts';
import { tempers } from './tempers.ts';

/** The stores' webhook receivers; every store has paths at a receiver of every temper. */
export type Receivers = {
  /** @returns a URL for webhooks of this store */
  urlFor(store: SeenStore, random: Random): string;
  /** Makes all of them healthy from now on, except the missing ones. */
  heal(): void;
  /** While true, even the healthy ones fail. */
  fail(failing: boolean): void;
  lone: LoneReceiver;
  close(): Promise<void>;
};

type Mood = { healed: boolean; failing: boolean };

/** Starts them on 127.0.0.1; they record visits in the observations. */
export async function startReceivers(observations: Observations, random: Random): Promise<Receivers> {
  const mood: Mood = { healed: false, failing: false };
  const trap = await startTrap(observations);
  const lone = await startLoneReceiver();
  const names = Object.keys(tempers);
  const servers = await Promise.all(
    names.map(async (name) => {
      const server = createServer((request, response) =>
        receive(
          { observations, random: random.fork(name), mood, name, trap: trap.url },
          request,
          response,
        ).catch(() => {}),
      );
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      return server;
    }),
  );
  const urls = servers.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const byShare = names.flatMap((name, index) => Array<string>(tempers[name]!.share).fill(urls[index]!));
  return {
    urlFor: (store, chance) => {
      const url = `${chance.pick(byShare)}/${store.name}`;
      // Some shops have a URL for each order. No dispatcher has seen it respond.
      return chance.chance(0.2) ? `${url}/order-${Math.floor(chance.between(0, 1e9))}` : url;
    },
    heal: () => Object.assign(mood, { healed: true, failing: false }),
    fail: (failing) => {
      mood.failing = failing;
    },
    lone,
    close: async () => {
      for (const server of servers) server.closeAllConnections();
      await Promise.all([...servers, trap.server].map((server) => once(server.close(), 'close')));
      await lone.close();
    },
  };
}

type Scene = { observations: Observations; random: Random; mood: Mood; name: string; trap: string };

async function receive(scene: Scene, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { observations, mood, name } = scene;
  const at = Date.now();
  const body = await text(request);
  const visit: Visit = {
    deliveryId: String(request.headers['webhook-id']),
    url: `http://${request.headers.host}${request.url}`,
    temper: name,
    at,
    status: null,
    signatureValid: isSigned(observations, request, body),
    body,
    event: JSON.parse(body),
  };
  observations.visits.push(visit);
  const status = statusOf(scene, request, response, mood.healed && name !== 'gone');
  // `finish` means that the whole response was sent; a dead sender has not read it.
  response.on('finish', () => {
    visit.status = status;
  });
}

function statusOf(
  { mood, name, random, trap }: Scene,
  request: IncomingMessage,
  response: ServerResponse,
  healed: boolean,
): number | null {
  const temper = mood.failing ? 'failing' : healed ? 'good' : name;
  return tempers[temper]!.behave({ request, response, random, trap });
}

/** @returns the name of the store that a path belongs to */
export const storeNameIn = (path: string) => path.split('/')[1];

/** True if the secret of the path's store signed it (Standard Webhooks). */
function isSigned(observations: Observations, request: IncomingMessage, body: string): boolean {
  const store = observations.stores.find(({ name }) => storeNameIn(request.url ?? '') === name);
  if (!store) return false;
  try {
    new Webhook(store.secret).verify(body, request.headers as Record<string, string>);
    return true;
  } catch {
    return false;
  }
}

/** An internal address that webhooks must not reach: next to the receivers', and not allowed. */
async function startTrap(observations: Observations) {
  const server = createTcpServer((socket) => {
    observations.trapped += 1;
    socket.destroy();
  });
  server.listen(0, '127.0.0.2');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.2:${(server.address() as AddressInfo).port}/` };
}

/** The receiver of a store that the load does not use. Its webhooks are in no observation. */
type LoneReceiver = {
  /** @returns its URL with this path; each path is an endpoint */
  at(path: string): string;
  /** While true it holds every request without a response. */
  hang(hanging: boolean): void;
  close(): Promise<void>;
};

/** Starts it on 127.0.0.1; it responds 200. */
async function startLoneReceiver(): Promise<LoneReceiver> {
  let isHanging = false;
  const server = createServer((request, response) => {
    request.resume();
    if (!isHanging) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at: (path) => `http://127.0.0.1:${port}/${path}`,
    hang: (hanging) => {
      isHanging = hanging;
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
