import Fastify, { type FastifyInstance } from 'fastify';
import t from 'tap';
import { deprecationHeaders } from '../../src/http/headers.ts';

/** The headers of operations that will go (Compatibility: when something must go). */
async function serverWith(schema: object): Promise<FastifyInstance> {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(deprecationHeaders);
  app.addHook('onRequest', async ({ headers }) => {
    if (headers['x-refused']) throw Object.assign(new Error('refused'), { statusCode: 401 });
  });
  app.get('/old', { schema }, async () => ({ is: 'here' }));
  app.get('/new', { schema: {} }, async () => ({ is: 'here' }));
  return app;
}

const ending = { deprecated: true, 'x-deprecated-since': '2026-11-26', 'x-sunset': '2027-11-26' };

t.test('each response of a deprecated operation says since when and until when', async (t) => {
  const app = await serverWith(ending);
  for (const headers of [{}, { 'x-refused': 'yes' }]) {
    const answer = await app.inject({ url: '/old', headers });
    // RFC 9745: the seconds of the day as a structured date. RFC 8594: an HTTP date.
    t.equal(answer.headers.deprecation, '@1795651200', String(answer.statusCode));
    t.equal(answer.headers.sunset, 'Fri, 26 Nov 2027 00:00:00 GMT');
  }
});

t.test('no other operation has them', async (t) => {
  const { headers } = await (await serverWith(ending)).inject('/new');
  t.equal(headers.deprecation, undefined);
  t.equal(headers.sunset, undefined);
});

t.test('a server with an operation that ends too soon, or never says when, does not start', async (t) => {
  for (const days of [
    { 'x-sunset': '2027-11-25' },
    { 'x-sunset': undefined },
    { 'x-deprecated-since': 'soon' },
  ])
    await t.rejects(serverWith({ ...ending, ...days }), /\/old must be deprecated for twelve months/);
});
