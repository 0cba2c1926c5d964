import { databaseServers } from '@payments/runtime/database-servers';
import pg from 'pg';
import { readOnly } from './errors.ts';

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

/** A connection to the server that takes writes. `connect` rejects on any other. */
export type WritableClient = pg.Client & {
  /** Names the running server: another one after a failover or a restart. */
  readonly server: string;
  /** Whether a pooler may send the next statement to another session of PostgreSQL. */
  readonly isPooled: boolean;
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
    isPooled = false;
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
        const { server, pid } = await writableSession(this);
        this.server = server;
        // A pooler gives its clients a key of its own.
        this.isPooled = pid !== (this as unknown as { processID: number }).processID;
        return this;
      } catch (error) {
        servers.refused(this.#url);
        this.cut();
        throw error;
      }
    }
  };
}

type Session = { isReadOnly: boolean; server: string; pid: number };

/** @throws an error as PostgreSQL's, if the server takes no writes: a standby, or a primary that was demoted */
async function writableSession(client: pg.Client): Promise<Session> {
  const { rows } = await client.query<Session>(
    `select current_setting('transaction_read_only') = 'on' as "isReadOnly", pg_postmaster_start_time()::text as server,
      pg_backend_pid() as pid`,
  );
  const session = rows[0] as Session;
  if (session.isReadOnly) throw Object.assign(new Error('the server takes no writes'), { code: readOnly });
  return session;
}
