import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@payments/testing/system';
import Fastify from 'fastify';
import t from 'tap';
import { sendCsv } from '../../src/http/send-csv.ts';

const page = Array.from({ length: 1_000 }, () => 'x'.repeat(1_000));

/** A list without an end, and how many of its pages were read. */
async function endless(t: { teardown(end: () => Promise<void>): void }) {
  let pages = 0;
  const app = Fastify({ forceCloseConnections: true });
  app.get('/', async (_request, reply) =>
    sendCsv(reply, { name: 'endless', columns: { text: (text: string) => text } }, async () => {
      pages += 1;
      return page;
    }),
  );
  await app.listen();
  t.teardown(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const sending = get({ port });
  const [response] = await once(sending, 'response');
  return { response, sending, pages: () => pages };
}

/** Resolves when the number stays the same for ten looks. */
async function settled(read: () => number): Promise<number> {
  let [last, same] = [-1, 0];
  return eventually(10_000, 'no more pages', async () => {
    const now = read();
    same = now === last ? same + 1 : 0;
    last = now;
    return same === 10 ? now : undefined;
  });
}

t.test('pages are read only as fast as the client reads', async (t) => {
  const { response, sending, pages } = await endless(t);
  response.pause();
  const ahead = await settled(pages);
  t.ok(ahead < 20, `${ahead} pages ahead`);
  let bytes = 0;
  for await (const chunk of response) {
    bytes += chunk.length;
    if (bytes > 50_000_000) break;
  }
  t.ok(pages() >= 50);
  sending.destroy();
});

t.test('a client that goes away ends the reading', async (t) => {
  const { sending, pages } = await endless(t);
  sending.on('error', () => {});
  sending.destroy();
  const read = await settled(pages);
  t.ok(read < 50, `${read} pages`);
});
