/** Our own PostgreSQL or NATS. Its address and data stay the same over restarts. */
export type BackingServer = {
  /** The connection string, with credentials. */
  readonly url: string;
  /** Starts it again after `stop` or `kill`; resolves when it accepts connections. */
  start(): Promise<void>;
  /** Stops it in order; resolves when all its processes have ended. */
  stop(): Promise<void>;
  /** Sends SIGKILL, like a crash. Nothing is flushed. */
  kill(): Promise<void>;
};

/** A server whose process is our child: it can be sent any signal. */
export type OwnServer = BackingServer & {
  /** The id of its current or last process. */
  pid(): number;
  /** Ends it by a signal; resolves when all its processes have ended. */
  end(signal: NodeJS.Signals): Promise<void>;
};

/** A server that a test may remove, with all its data. */
export type ThrowawayServer = BackingServer & { remove(): Promise<void> };

/** The reason why PostgreSQL or NATS is not available: one line that says what to do. */
export class BackingServiceError extends Error {
  override name = 'BackingServiceError';
}

/** @returns an error's message as one line */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
