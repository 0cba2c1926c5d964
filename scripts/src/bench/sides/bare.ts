import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { heapOptions, startProcess } from '../bench-process.ts';
import { type Ground, pspClient } from '../ground.ts';
import type { Side } from '../side.ts';

/** Fastify and `pg` with the service's statements (scripts/bench/src/bare.ts), on a database of its own. */
export async function startBare(ground: Ground, database = 'bench_bare'): Promise<Side> {
  const databaseUrl = await ground.createDatabase(database, true);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = await startProcess({
    name: 'bare',
    module: 'scripts/bench/dist/bare.js',
    nodeOptions: heapOptions,
    env: { ...pspClient, PORT: String(port), DATABASE_URL: databaseUrl, PIX_URL: ground.pspUrl },
    logFile: join(ground.dir, 'logs/bare.log'),
    readyUrl: `${url}/health/ready`,
  });
  return { name: 'bare Fastify + pg', url, database, databaseUrl, processes: [started], stop: started.stop };
}
