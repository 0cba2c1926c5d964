import pg from 'pg';
import { readOnly } from './errors.ts';

/** Moves on from the first of a cluster's servers to the next, unless another connection has done so. */
export function leave(servers: string[], left: string | undefined): void {
  if (servers[0] === left) servers.push(servers.shift() as string);
}

const checkMs = 5_000;

/** A connection to the server of a cluster that takes writes. */
export class WritableClient extends pg.Client {
  /** Names the running server: another one after a failover or a restart. */
  server = '';
  /** Whether a pooler may send the next statement to another session of PostgreSQL. */
  isPooled = false;
  /** When the statement under way was sent, by `performance.now()`. */
  askedAt: number | undefined;

  constructor({ servers: [connectionString], ...config }: pg.ClientConfig & { servers: readonly string[] }) {
    super({ ...config, connectionString });
    // Without a listener, a connection that breaks would end the process.
    this.on('error', () => {});
  }

  /** Ends the connection without a word to a server that may be silent. */
  cut(): void {
    const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
    connection.stream.destroy();
  }

  /**
   * Learns which server this is.
   * @throws an error as PostgreSQL's, if it takes no writes: a standby, or a primary that was demoted
   */
  async assertWritable(): Promise<void> {
    const text = `select current_setting('transaction_read_only') = 'on' as "isReadOnly",
      pg_postmaster_start_time()::text as server, pg_backend_pid() as pid`;
    const { rows } = await this.query({ text, query_timeout: checkMs } as pg.QueryConfig);
    const [{ isReadOnly, server, pid }] = rows;
    if (isReadOnly) throw Object.assign(new Error('the server takes no writes'), { code: readOnly });
    this.server = server;
    // A pooler gives its clients a key of its own.
    this.isPooled = pid !== (this as unknown as { processID: number }).processID;
  }
}
