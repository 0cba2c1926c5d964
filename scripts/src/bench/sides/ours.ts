import { join } from 'node:path';
import { freePort } from '@payments/backing-services/free-port';
import { type BenchProcess, heapOptions, startProcess } from '../bench-process.ts';
import { type Ground, pspClient } from '../ground.ts';
import type { Side } from '../side.ts';

export type OursOptions = {
  /** Of its database and its stream. */
  name: string;
  apis?: number;
  dispatchers?: number;
  env?: Record<string, string>;
  /** Where CPU profiles go. */
  profileDir?: string | undefined;
  /** A database that is there already. */
  databaseUrl?: string;
};

export type Ours = Side & { urls: string[]; adminUrl: string };

const adminKey = 'bench-admin-key';

/** The service as it ships: production build, log at `info` to a file, metrics on; settings of `npm start`. */
export async function startOurs(ground: Ground, options: OursOptions): Promise<Ours> {
  const { name, apis = 1, dispatchers = 1 } = options;
  const databaseUrl = options.databaseUrl ?? (await ground.createDatabase(name, true));
  const start = async (service: 'api' | 'dispatcher', index: number): Promise<Started> => {
    const [port, adminPort] = [await freePort(), await freePort()];
    const url = `http://127.0.0.1:${port}`;
    const started = await startProcess({
      name: index === 0 ? service : `${service} ${index + 1}`,
      module: `services/${service}/dist/main.js`,
      nodeOptions: [...heapOptions, ...profiling(options.profileDir)],
      env: {
        ...settings(ground, name, databaseUrl, url),
        PORT: String(port),
        ADMIN_PORT: String(adminPort),
        ...options.env,
      },
      logFile: join(ground.dir, `logs/${name}-${service}-${index + 1}.log`),
      readyUrl: `${url}/health/ready`,
    });
    return { ...started, url, adminUrl: `http://127.0.0.1:${adminPort}` };
  };
  const started: Started[] = [];
  for (let index = 0; index < apis; index += 1) started.push(await start('api', index));
  const urls = started.map(({ url }) => url);
  for (let index = 0; index < dispatchers; index += 1) started.push(await start('dispatcher', index));
  return {
    name: 'ours',
    url: urls[0] ?? '',
    urls,
    adminUrl: started[0]?.adminUrl ?? '',
    database: name,
    databaseUrl,
    processes: started,
    stop: async () => void (await Promise.all(started.map((one) => one.stop()))),
  };
}

type Started = BenchProcess & { url: string; adminUrl: string };

function settings(ground: Ground, name: string, databaseUrl: string, publicUrl: string) {
  return {
    ...pspClient,
    HOST: '127.0.0.1',
    DATABASE_URL: databaseUrl,
    NATS_URL: ground.natsUrl,
    NATS_STREAM: name.toUpperCase(),
    PUBLIC_URL: publicUrl,
    ADMIN_KEY: adminKey,
    PIX_URL: ground.pspUrl,
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'info',
  };
}

function profiling(dir: string | undefined): string[] {
  return dir ? ['--cpu-prof', `--cpu-prof-dir=${dir}`, '--cpu-prof-interval=500'] : [];
}
