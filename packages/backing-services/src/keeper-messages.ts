import type { NatsOptions } from './nats-server.ts';
import type { PostgresOptions } from './postgres-embedded.ts';

/** What a server is started with, as it goes over IPC; `discard` removes `dir` when the keeper ends. */
export type Kept<Options> = Omit<Options, 'onExit'> & { discard?: boolean };

export type KeeperRequest =
  | { do: 'postgres'; options: Kept<PostgresOptions> }
  | { do: 'nats'; options: Kept<NatsOptions> }
  | { do: 'start' | 'stop' | 'kill'; server: string }
  | { do: 'guard'; pids: number[] };

/** `url` answers a request that started a new server; it names the server in later requests. */
export type KeeperAnswer = { answer: number; url?: string; error?: string };

/** A server ended unasked: the line that says so, and which one (its URL). */
export type KeeperEvent = { exited: string; server: string };
