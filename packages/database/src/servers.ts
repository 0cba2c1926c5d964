import { Socket } from 'node:net';
import pg from 'pg';
import { readOnly } from './errors.ts';

/**
 * A server, database or role that set these otherwise would change what our statements mean and how their results are
 * read. Plans are not compiled, since that takes longer than any statement here.
 */
const options = ['timezone=UTC', 'datestyle=ISO', 'default_transaction_isolation=read\\ committed', 'jit=off']
  .map((one) => `-c ${one}`)
  .join(' ');

type Connected = (error?: Error) => void;

/** A connection to the server of a cluster that takes writes. `connect` rejects on any other. */
export class WritableClient extends pg.Client {
  /** Names the running server: another one after a failover or a restart. */
  server = '';
  /** Whether a pooler may send the next statement to another session of PostgreSQL. */
  isPooled = false;
  /** When the statement under way was sent, by `performance.now()`. */
  askedAt: number | undefined;
  readonly #socket: Socket;
  readonly #leave: () => void;

  constructor({ servers, ...config }: pg.ClientConfig & { servers: string[] }) {
    const [connectionString] = servers;
    const socket = new Socket();
    super({ ...config, connectionString, stream: () => socket });
    // `pg` would take the URL's options in the place of ours, and does not send a time-out of 0.
    const { connectionParameters } = this as unknown as { connectionParameters: { options?: string } };
    const unlimited = config.statement_timeout === 0 ? ' -c statement_timeout=0' : '';
    connectionParameters.options = `${connectionParameters.options ?? ''} ${options}${unlimited}`;
    this.#socket = socket;
    this.#leave = () => leave(servers, connectionString);
    // Without a listener, a connection that breaks would end the process.
    this.on('error', () => {});
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    const connected = this.#connectToWrite();
    if (!callback) return connected;
    connected.then(() => callback(), callback);
    return undefined;
  }

  /** Ends the connection without a word to a server that may be silent. */
  cut(): void {
    this.#socket.destroy();
  }

  async #connectToWrite(): Promise<pg.Client> {
    try {
      await super.connect();
      await this.#assertWritable();
      return this;
    } catch (error) {
      this.#leave();
      this.cut();
      throw error;
    }
  }

  /** @throws an error as PostgreSQL's, if the server takes no writes: a standby, or a primary that was demoted */
  async #assertWritable(): Promise<void> {
    const { rows } = await this.query(
      `select current_setting('transaction_read_only') = 'on' as "isReadOnly",
        pg_postmaster_start_time()::text as server, pg_backend_pid() as pid`,
    );
    const [{ isReadOnly, server, pid }] = rows;
    if (isReadOnly) throw Object.assign(new Error('the server takes no writes'), { code: readOnly });
    this.server = server;
    // A pooler gives its clients a key of its own.
    this.isPooled = pid !== (this as unknown as { processID: number }).processID;
  }
}

/** Moves on from the first of a cluster's servers to the next, unless another connection has done so. */
function leave(servers: string[], left: string | undefined): void {
  if (servers[0] === left) servers.push(servers.shift() as string);
}
