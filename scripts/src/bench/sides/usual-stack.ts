import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { newToken, tokenHash } from '@payments/domain/tokens';
import { heapOptions, startProcess } from '../bench-process.ts';
import { type Ground, query } from '../ground.ts';
import type { Side } from '../side.ts';
import type { BenchStore } from '../stores.ts';

/** NestJS, class-validator and TypeORM (scripts/bench/src/usual-stack), on a database of its own. */
export async function startUsualStack(ground: Ground): Promise<Side> {
  const database = 'bench_usual';
  const databaseUrl = await ground.createDatabase(database, false);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const started = await startProcess({
    name: 'nest',
    module: 'scripts/bench/dist/usual-stack/main.js',
    nodeOptions: heapOptions,
    env: { NODE_ENV: 'production', PORT: String(port), DATABASE_URL: databaseUrl },
    logFile: join(ground.dir, 'logs/usual-stack.log'),
    readyUrl: `${url}/health/ready`,
  });
  return { name: 'usual stack', url, database, databaseUrl, processes: [started], stop: started.stop };
}

export async function createUsualStore(databaseUrl: string): Promise<BenchStore> {
  const [id, token] = [randomUUID(), newToken()];
  await query(databaseUrl, 'insert into stores (id, name, token_hash) values ($1, $2, $3)', [
    id,
    'Loja',
    tokenHash(token).toString('hex'),
  ]);
  return { id, token };
}
