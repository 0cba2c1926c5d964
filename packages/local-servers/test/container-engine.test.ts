import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { hasContainerEngine } from '../src/container-engine.ts';

const given = process.env.DOCKER_HOST;
t.teardown(() => {
  if (given === undefined) delete process.env.DOCKER_HOST;
  else process.env.DOCKER_HOST = given;
});

t.test('an engine counts if it responds', async (t) => {
  // A socket's path must be short.
  const folder = mkdtempSync(join(tmpdir(), 'engine-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const socket = join(folder, 'docker.sock');
  process.env.DOCKER_HOST = `unix://${socket}`;
  t.equal(await hasContainerEngine(), false, 'nothing listens');
  let status = 200;
  const engine = createServer((request, response) =>
    response.writeHead(request.url === '/_ping' ? status : 404).end(),
  );
  await once(engine.listen(socket), 'listening');
  t.equal(await hasContainerEngine(), true, 'it answers its ping');
  status = 503;
  t.equal(await hasContainerEngine(), false, 'it does not work');
  engine.close();
  process.env.DOCKER_HOST = 'no address';
  t.equal(await hasContainerEngine(), false, 'the address is none');
});
