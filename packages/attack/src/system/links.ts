import { startTcpProxy, type TcpProxy } from '@payments/testing/tcp-proxy';

/** A process's dependencies, each over a connection that can be cut and slowed. */
export type Links = Record<'postgres' | 'nats' | 'bank', TcpProxy>;

export type LinkTargets = { databaseUrl: string; natsUrl: string; bankUrl: string };

/** @returns a process's own links, and the settings that use them */
export async function openLinks(
  targets: LinkTargets,
): Promise<{ links: Links; env: Record<string, string> }> {
  const { databaseUrl, natsUrl, bankUrl } = targets;
  const links = {
    postgres: await startTcpProxy(portOf(databaseUrl)),
    nats: await startTcpProxy(portOf(natsUrl)),
    bank: await startTcpProxy(portOf(bankUrl)),
  };
  const env = {
    DATABASE_URL: onPort(databaseUrl, links.postgres.port),
    NATS_URL: onPort(natsUrl, links.nats.port),
    PIX_URL: onPort(bankUrl, links.bank.port),
  };
  return { links, env };
}

const portOf = (url: string) => Number(new URL(url).port);

function onPort(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href.replace(/\/$/, '');
}
