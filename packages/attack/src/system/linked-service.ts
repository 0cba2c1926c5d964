import { join } from 'node:path';
import { createReplica, heapFlags, type Replica } from '@payments/testing/replica';
import { type BankId, bankIds, banksFile } from './banks.ts';
import { type Links, type LinkTargets, openLinks } from './links.ts';
import type { SystemOptions } from './system.ts';

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
