import { existsSync } from 'node:fs';
import { get, type RequestOptions } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** @returns whether a container engine responds here, after a second at most */
export async function hasContainerEngine(): Promise<boolean> {
  const host = process.env.DOCKER_HOST;
  if (host) return answers(host);
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')];
  const socket = sockets.find((path) => existsSync(path));
  return socket !== undefined && answers(`unix://${socket}`);
}

/** Other protocols (ssh, named pipes) are not tried: set DATABASE_URL and NATS_URL instead. */
async function answers(address: string): Promise<boolean> {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'unix:') return ping({ socketPath: url.pathname });
  if (url?.protocol === 'tcp:' || url?.protocol === 'http:')
    return ping({ host: url.hostname, port: url.port });
  return false;
}

function ping(target: RequestOptions): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get({ ...target, path: '/_ping', timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
