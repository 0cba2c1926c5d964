import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { type BackingServer, BackingServiceError } from './backing-server.ts';
import type { NatsOptions } from './nats-server.ts';
import type { PostgresOptions } from './postgres-embedded.ts';

/** A server's options as sent over IPC; `discard` removes `dir` when the keeper ends. */
export type Kept<Options> = Omit<Options, 'onExit'> & { discard?: boolean };

export type KeeperRequest =
  | { do: 'postgres'; options: Kept<PostgresOptions> }
  | { do: 'nats'; options: Kept<NatsOptions> }
  | { do: 'start' | 'stop' | 'kill'; server: string }
  | { do: 'guard'; pids: number[] };

/** `url` responds to a request that started a server, and names the server in later requests. */
export type KeeperAnswer = { answer: number; url?: string; error?: string };

/** A server ended by itself: the line that says so, and the server's URL. */
export type KeeperEvent = { exited: string; server: string };

/** Holds servers outside our process group, and ends them on request or when we end. See keeper.ts. */
export type Keeper = {
  pid: number;
  startPostgres(options: Kept<PostgresOptions>): Promise<BackingServer>;
  startNats(options: Kept<NatsOptions>): Promise<BackingServer>;
  /** Processes that the keeper ends first (SIGTERM) if we are killed. */
  guard(pids: number[]): Promise<void>;
  /** Ends every server; resolves when all have ended. */
  close(): Promise<void>;
};

type OnExit = (reason: string, startAgain?: () => Promise<void>) => void;

const endedUnasked = 'the process that holds PostgreSQL and NATS ended';

/**
 * Starts a keeper. It does not hold our event loop open.
 * @param onExit called when a server or the keeper ends by itself, with a line and a way to restart the server
 */
export function openKeeper(onExit: OnExit = () => {}): Keeper {
  const child = fork(new URL(`keeper${extname(import.meta.url)}`, import.meta.url), {
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  });
  const ask = conversation(child, onExit);
  const serverAt = async (answer: Promise<KeeperAnswer>): Promise<BackingServer> => {
    const url = (await answer).url!;
    const command = (what: 'start' | 'stop' | 'kill') => async () =>
      void (await ask({ do: what, server: url }));
    return { url, start: command('start'), stop: command('stop'), kill: command('kill') };
  };
  let closing = false;
  child.on('exit', () => closing || onExit(endedUnasked));
  return {
    pid: child.pid!,
    startPostgres: (options) => serverAt(ask({ do: 'postgres', options })),
    startNats: (options) => serverAt(ask({ do: 'nats', options })),
    guard: async (pids) => void (await ask({ do: 'guard', pids })),
    close: async () => {
      closing = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/** Requests and responses over IPC. Only an open request keeps our event loop alive. */
function conversation(child: ChildProcess, onExit: OnExit) {
  const open = new Map<number, PromiseWithResolvers<KeeperAnswer>>();
  let last = 0;
  const settle = (id: number) => {
    const request = open.get(id);
    open.delete(id);
    if (open.size === 0) child.channel?.unref();
    return request;
  };
  child.on('message', (message: KeeperAnswer | KeeperEvent) => {
    if ('exited' in message) {
      const { exited, server } = message;
      return onExit(exited, async () => void (await ask({ do: 'start', server })));
    }
    const request = settle(message.answer);
    if (message.error === undefined) request?.resolve(message);
    else request?.reject(new BackingServiceError(message.error));
  });
  child.on('exit', () => {
    for (const id of open.keys()) settle(id)?.reject(new BackingServiceError(endedUnasked));
  });
  child.unref();
  child.channel?.unref();
  const ask = (request: KeeperRequest): Promise<KeeperAnswer> => {
    const id = ++last;
    const answer = Promise.withResolvers<KeeperAnswer>();
    open.set(id, answer);
    child.channel?.ref();
    child.send({ ...request, id });
    return answer.promise;
  };
  return ask;
}
