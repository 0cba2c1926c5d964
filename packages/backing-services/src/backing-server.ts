/** A PostgreSQL or NATS that runs for us alone. Its address and data stay the same over restarts. */
export type BackingServer = {
  /** Connection string, credentials included. */
  readonly url: string;
  /** Starts again after `stop` or `kill`; resolves when it takes connections. */
  start(): Promise<void>;
  /** Orderly end; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash would do it. Nothing is flushed. */
  kill(): Promise<void>;
};

/** One whose process is our own child: any signal can be sent to it. */
export type OwnServer = BackingServer & {
  /** Of the process that runs now, or ran last. */
  pid(): number;
  /** Ends it by a signal that does so; resolves when nothing of it runs any more. */
  end(signal: NodeJS.Signals): Promise<void>;
};

/** One that a test may end for good, with everything that it stored. */
export type ThrowawayServer = BackingServer & { remove(): Promise<void> };

/** Why a PostgreSQL or NATS could not be had: one line for the developer, with what to do about it. */
export class BackingServiceError extends Error {
  override name = 'BackingServiceError';
}

/** What a thrown value says, as one line. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
