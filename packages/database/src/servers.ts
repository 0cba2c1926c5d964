import { databaseServers } from '@payments/runtime/database-servers';
import pg from 'pg';

/** The servers of a cluster, of which one takes writes. */
export type Servers = {
  readonly count: number;
  /** @returns the URL of the server to connect to next */
  current(): string;
  /** Moves on to the next one, unless another connection has done so. */
  refused(url: string): void;
};

/** @param url `DATABASE_URL`, with one host or several */
export function serversOf(url: string): Servers {
  const urls = databaseServers(url);
  let place = 0;
  const current = () => urls[place] as string;
  return {
    count: urls.length,
    current,
    refused: (refused) => {
      if (refused === current()) place = (place + 1) % urls.length;
    },
  };
}

/** A server that takes no writes: a standby, or a primary that was demoted. */
export class ReadOnlyServer extends Error {
  override readonly name = 'ReadOnlyServer';
  readonly code = '25006';
}

/** A connection to the server that takes writes. `connect` rejects on any other. */
export type WritableClient = pg.Client & {
  /** Names the running server: another one after a failover or a restart. */
  readonly server: string;
  /** When the statement under way was sent, by `performance.now()`. */
  askedAt?: number | undefined;
  /** Ends the connection without a word to a server that may be silent. */
  cut(): void;
};

type Connected = (error?: Error) => void;

/** @returns the class of connections to the server of `servers` that takes writes */
export function writableClients(servers: Servers): new (config: pg.ClientConfig) => WritableClient {
  return class extends pg.Client {
    server = '';
    askedAt: number | undefined;
    readonly #url: string;

    constructor(config: pg.ClientConfig) {
      const url = servers.current();
      super({ ...config, connectionString: url });
      this.#url = url;
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

    cut(): void {
      const { connection } = this as unknown as { connection: { stream: { destroy(): void } } };
      connection.stream.destroy();
    }

    async #connectToWrite(): Promise<pg.Client> {
      try {
        await super.connect();
        this.server = await serverOf(this);
        return this;
      } catch (error) {
        servers.refused(this.#url);
        this.cut();
        throw error;
      }
    }
  };
}

async function serverOf(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ is: string; server: string }>(
    "select current_setting('transaction_read_only') as is, pg_postmaster_start_time()::text as server",
  );
  if (rows[0]?.is !== 'off') throw new ReadOnlyServer('the server takes no writes');
  return rows[0].server;
}
