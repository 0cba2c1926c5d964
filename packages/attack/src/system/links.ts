import { startTcpProxy, type TcpProxy } from '@payments/testing/tcp-proxy';
import type { BankId } from './banks.ts';

/** A process's dependencies, each over a connection that can be cut and slowed. */
export type Links = { postgres: TcpProxy; nats: TcpProxy; banks: Record<BankId, TcpProxy> };

export type LinkTargets = {
  databaseUrl: string;
  natsUrl: string;
  banks: readonly { id: BankId; url: string }[];
};

/** @returns a process's own links, and the settings that use them */
export async function openLinks(
  targets: LinkTargets,
): Promise<{ links: Links; env: Record<string, string> }> {
  const { databaseUrl, natsUrl, banks } = targets;
  const toBanks = await Promise.all(
    banks.map(async ({ id, url }) => [id, await startTcpProxy(portOf(url))] as const),
  );
  const links = {
    postgres: await startTcpProxy(portOf(databaseUrl)),
    nats: await startTcpProxy(portOf(natsUrl)),
    banks: Object.fromEntries(toBanks) as Record<BankId, TcpProxy>,
  };
  const env = {
    DATABASE_URL: onPort(databaseUrl, links.postgres.port),
    NATS_URL: onPort(natsUrl, links.nats.port),
  };
  return { links, env };
}

export async function closeLinks({ postgres, nats, banks }: Links): Promise<void> {
  await Promise.all([postgres, nats, ...Object.values(banks)].map((link) => link.close()));
}

const portOf = (url: string) => Number(new URL(url).port);

function onPort(url: string, port: number): string {
  const moved = new URL(url);
  moved.port = String(port);
  return moved.href.replace(/\/$/, '');
}
