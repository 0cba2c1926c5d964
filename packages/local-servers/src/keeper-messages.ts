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
