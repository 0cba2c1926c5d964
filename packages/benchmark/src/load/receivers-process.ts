import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Arrivals, Command } from './receivers.ts';

/** Receivers of stores, controlled over IPC. */
let arrivals: number[] = [];
let ids = new Map<string, number>();

process.on('message', async (command: Command) => process.send?.((await obey(command)) ?? null));
process.on('disconnect', () => process.exit());

async function obey(command: Command): Promise<unknown> {
  if (command.do === 'listen') {
    const [healthy, hanging] = [await listen(command.healthy, true), await listen(command.hanging, false)];
    return { healthy, hanging };
  }
  if (command.do === 'count') return arrivals.length;
  if (command.do === 'report') return report();
  arrivals = [];
  ids = new Map();
  return undefined;
}

function report(): Arrivals {
  const [firstMs, lastMs] = [arrivals[0] ?? Number.NaN, arrivals.at(-1) ?? Number.NaN];
  return { count: arrivals.length, firstMs, lastMs, ids: Object.fromEntries(ids) };
}

/** Silent receivers count no requests. */
function listen(count: number, answers: boolean): Promise<string[]> {
  return Promise.all(Array.from({ length: count }, () => open(answers)));
}

async function open(answers: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (!answers) return;
    request.on('end', () => {
      note(String(request.headers['webhook-id']));
      response.writeHead(200, { 'content-length': 0 }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
}

function note(id: string): void {
  const now = performance.timeOrigin + performance.now();
  arrivals.push(now);
  if (!ids.has(id)) ids.set(id, now);
}
