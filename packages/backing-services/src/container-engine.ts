import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Whether a container engine answers here. Takes no time where there is none, at most a second elsewhere. */
export async function hasContainerEngine(): Promise<boolean> {
  const host = process.env.DOCKER_HOST;
  if (host) return answers(host);
  const sockets = ['/var/run/docker.sock', join(homedir(), '.docker/run/docker.sock')];
  const socket = sockets.find((path) => existsSync(path));
  return socket !== undefined && answers(`unix://${socket}`);
}

function answers(host: string): Promise<boolean> {
  const { protocol, pathname, hostname, port } = new URL(host);
  const target = protocol === 'unix:' ? { socketPath: pathname } : { host: hostname, port };
  return new Promise((resolve) => {
    const request = get({ ...target, path: '/_ping', timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
