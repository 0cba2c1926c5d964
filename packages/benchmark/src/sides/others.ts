import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { createReplica } from '@payments/testing/replica';
import { bankClient } from '@payments/testing/service-settings';
import type { Ground } from '../ground.ts';
import { sidesFolder } from '../installation.ts';
import { type Side, sideFlags } from './side.ts';

/** Fastify and `pg` with the service's statements and schema. */
export const startBare = (ground: Ground) =>
  start(ground, 'bare Fastify + pg', 'bare.js', ground.createDatabase);

/** NestJS, class-validator and TypeORM, with its own tables. */
export const startUsualStack = (ground: Ground) =>
  start(ground, 'usual stack', 'usual-stack/main.js', ground.createEmptyDatabase);

/** A server's answer to a request that it refuses. */
export type Refusal = { status: number; headers: Record<string, string>; body: string };

/**
 * `node:http` alone: it refuses at once, and answers a sale after one round trip to PostgreSQL.
 * @param refusals by method and path, as in `GET /api-public/payments`
 */
export const startBareHttp = (ground: Ground, refusals: Record<string, Refusal>) =>
  start(ground, 'bare node:http', 'bare-http.js', ground.createEmptyDatabase, {
    REFUSALS: JSON.stringify(refusals),
  });

/** Starts a side, which creates a store with the given token. */
async function start(
  ground: Ground,
  name: string,
  program: string,
  createDatabase: Ground['createEmptyDatabase'],
  env: Record<string, string> = {},
): Promise<Side> {
  const database = await createDatabase();
  const token = randomBytes(32).toString('base64url');
  const process = await createReplica({
    name,
    module: join(sidesFolder, 'dist', program),
    nodeArgs: sideFlags,
    env: {
      ...bankClient,
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      PIX_URL: ground.bankUrl,
      TOKEN: token,
      ...env,
    },
    logFile: ground.logOf(name),
  });
  await process.start();
  const dispose = async () => {
    await process.terminate();
    await database.drop();
  };
  return { name, url: `http://127.0.0.1:${process.port}`, token, [Symbol.asyncDispose]: dispose };
}
