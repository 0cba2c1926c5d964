import { chown, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnServer } from './backing-server.ts';
import { postgresAccount } from './postgres-account.ts';
import { copyPostgres, foldersOf, postgresBinaries } from './postgres-copy.ts';
import { startEmbeddedPostgres } from './postgres-embedded.ts';

// A killed process loses nothing that it wrote, so no disk needs to sync.
const tuning = { tuning: 'fast', settings: ['synchronous_commit=on'] } as const;

/** A PostgreSQL whose WAL is archived. */
export type ArchivedPostgres = {
  server: OwnServer;
  /** Copies the data. Call it between `pg_backup_start` and `pg_backup_stop`. */
  copyData(): Promise<void>;
  /** @param label as `pg_backup_stop` returned it */
  finishBackup(label: string): Promise<void>;
  /** Kills the server and deletes its data. The backup and the archive stay. */
  destroy(): Promise<void>;
  /** Starts another server from the backup and the archive. */
  restore(moment: Date): Promise<OwnServer>;
};

/** @param dir created if missing */
export async function startArchivedPostgres(dir: string): Promise<ArchivedPostgres> {
  const [lost, backup, archive] = [join(dir, 'lost'), join(dir, 'backup'), join(dir, 'archive')];
  await mkdir(archive, { recursive: true });
  const { uid, gid } = postgresAccount(join(lost, 'data'), foldersOf(await postgresBinaries()));
  if (uid !== undefined) await chown(archive, uid, gid!);
  const server = await startEmbeddedPostgres({
    ...tuning,
    dir: lost,
    settings: [...tuning.settings, 'archive_mode=on', `archive_command=cp %p ${archive}/%f`],
  });
  return {
    server,
    copyData: () => copyPostgres(lost, backup),
    finishBackup: (label) => writeFile(join(backup, 'data', 'backup_label'), label),
    destroy: async () => {
      await server.kill();
      await rm(lost, { recursive: true });
    },
    restore: async (moment) => {
      await writeFile(join(backup, 'data', 'recovery.signal'), '');
      return startEmbeddedPostgres({
        ...tuning,
        dir: backup,
        settings: [
          ...tuning.settings,
          `restore_command=cp ${archive}/%f %p`,
          `recovery_target_time=${moment.toISOString().replace('Z', '+00')}`,
          'recovery_target_action=promote',
        ],
      });
    },
  };
}
