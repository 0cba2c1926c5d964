import { join } from 'node:path';
import { createReplica, heapFlags, type Replica } from '@payments/testing/replica';
import { startTcpProxy, type TcpProxy } from '@payments/testing/tcp-proxy';
import { type BankId, bankIds, banksFile } from './banks.ts';
import type { SystemOptions } from './system.ts';

/** A process's connection to a dependency, which may be several servers. */
export type Link = Pick<TcpProxy, 'slow' | 'cut' | 'silence' | 'refuse' | 'close'>;

/** A process's dependencies, each over a connection that can be cut, slowed and silenced. */
export type Links = { postgres: Link; nats: Link; banks: Record<BankId, TcpProxy> };

export type LinkTargets = {
  /** One host, or several. */
  databaseUrl: string;
  /** Comma-separated. */
  natsUrl: string;
  banks: readonly { id: BankId; url: string }[];
};

/** @returns a process's own links, and the settings that use them */
async function openLinks(targets: LinkTargets): Promise<{ links: Links; env: Record<string, string> }> {
  const { databaseUrl, natsUrl, banks } = targets;
  const toBanks = await Promise.all(
    banks.map(async ({ id, url }) => [id, await startTcpProxy(Number(new URL(url).port))] as const),
  );
  const [postgres, nats] = await Promise.all([openLink(databaseUrl), openLink(natsUrl)]);
  const links = {
    postgres: postgres.link,
    nats: nats.link,
    banks: Object.fromEntries(toBanks) as Record<BankId, TcpProxy>,
  };
  return { links, env: { DATABASE_URL: postgres.url, NATS_URL: nats.url } };
}

export async function closeLinks({ postgres, nats, banks }: Links): Promise<void> {
  await Promise.all([postgres, nats, ...Object.values(banks)].map((link) => link.close()));
}

const address = /127\.0\.0\.1:(\d+)/g;

/** @returns a link to all servers of `url`, and the URL that leads over it */
async function openLink(url: string): Promise<{ link: Link; url: string }> {
  const ports = [...url.matchAll(address)].map(([, port]) => Number(port));
  const proxies = await Promise.all(ports.map((port) => startTcpProxy(port)));
  const own = proxies.map(({ port }) => `127.0.0.1:${port}`);
  return { link: together(proxies), url: url.replaceAll(address, () => own.shift() as string) };
}

function together(proxies: readonly TcpProxy[]): Link {
  const each = (act: (proxy: TcpProxy) => void) => proxies.forEach(act);
  return {
    slow: (ms) => each((proxy) => proxy.slow(ms)),
    cut: () => each((proxy) => proxy.cut()),
    silence: (silent) => each((proxy) => proxy.silence(silent)),
    refuse: (refusing) => each((proxy) => proxy.refuse(refusing)),
    close: async () => void (await Promise.all(proxies.map((proxy) => proxy.close()))),
  };
}

/** A service's process. `configure` writes other banks into its file. */
export type LinkedReplica = Replica & { links: Links; configure(banks: readonly BankId[]): void };

/** @returns a function that makes a replica of a service with its own links and its own file of banks */
export function linkedService(
  { sources, onCrash }: Pick<SystemOptions, 'sources' | 'onCrash'>,
  {
    targets,
    env,
    dir,
  }: { targets: Omit<LinkTargets, 'databaseUrl'>; env: Record<string, string>; dir: string },
) {
  return async (
    name: string,
    path: string,
    own: Record<string, string> & { DATABASE_URL: string },
  ): Promise<LinkedReplica> => {
    const { links, env: over } = await openLinks({ ...targets, databaseUrl: own.DATABASE_URL });
    const ports = Object.fromEntries(bankIds.map((id) => [id, links.banks[id].port]));
    const file = banksFile(join(dir, `${name}.json`), ports as Record<BankId, number>);
    const replica = await createReplica({
      name,
      module: join(sources, path, 'src/main.ts'),
      env: { ...env, ...own, ...over, BANKS_FILE: file.path },
      nodeArgs: heapFlags,
      watched: false,
      onCrash,
    });
    return { ...replica, links, configure: file.write };
  };
}
