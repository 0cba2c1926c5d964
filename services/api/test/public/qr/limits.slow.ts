import { connect } from '@payments/database/connection';
import { startSystem, type TestStore, type TestSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { ApiError } from '../../../src/http/errors/api-error.ts';
import { qrImages, sharedReading } from '../../../src/public/qr/images.ts';
import { isError } from '../payments/expectations.ts';
import { readPng } from './qr-reader.ts';

/** QR images are drawn once, cached and limited, so that image requests do not slow stores down. */
async function open(t: Test, env: Record<string, string> = {}) {
  const system = await startSystem({ dispatcher: false, env });
  t.teardown(system.stop);
  return { system, store: await system.createStore() };
}

const charge = async (system: TestSystem, { token }: TestStore) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10 } })).body;

t.test('an image that was drawn is answered without the database', async (t) => {
  const { system, store } = await open(t);
  const payment = await charge(system, store);
  const first = await fetch(`${system.url}/qr/${payment.id}.png`);
  const [bytes, etag] = [Buffer.from(await first.arrayBuffer()), first.headers.get('etag')];
  await fetch(`${system.url}/qr/${payment.id}.svg`);
  const db = connect(system.env.DATABASE_URL ?? '', { poolSize: 1 });
  t.teardown(() => db.destroy());
  await db.schema.alterTable('payments').renameTo('payments_away').execute();
  for (const id of [payment.id, payment.id.toUpperCase()]) {
    const again = await fetch(`${system.url}/qr/${id}.png`);
    t.equal(again.status, 200);
    t.same(Buffer.from(await again.arrayBuffer()), bytes);
    t.equal(again.headers.get('etag'), etag);
  }
  t.equal((await fetch(`${system.url}/qr/${payment.id}.svg`)).status, 200);
  t.equal(readPng(bytes), payment.qrCopyPaste);
});

t.test('If-None-Match with the image’s ETag: 304 without the image', async (t) => {
  const { system, store } = await open(t);
  const { id } = await charge(system, store);
  for (const [format, type] of [
    ['png', 'image/png'],
    ['svg', 'image/svg+xml'],
  ]) {
    const url = `${system.url}/qr/${id}.${format}`;
    const ask = (tags: string, method = 'GET') => fetch(url, { method, headers: { 'if-none-match': tags } });
    const whole = await fetch(url);
    const etag = whole.headers.get('etag') ?? '';
    t.match(etag, /^"[\w-]{22}"$/);
    t.equal(whole.headers.get('content-type')?.split(';')[0], type);
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await ask(tags);
      t.equal(answer.status, 304, tags);
      t.equal(await answer.text(), '');
      t.equal(answer.headers.get('etag'), etag);
      t.match(answer.headers.get('cache-control'), /max-age/);
      t.equal(answer.headers.get('cross-origin-resource-policy'), 'cross-origin');
    }
    t.equal((await ask('"other"')).status, 200);
    t.equal((await ask(etag, 'HEAD')).status, 304);
    const head = await fetch(url, { method: 'HEAD' });
    t.match(
      [head.status, head.headers.get('etag'), head.headers.get('content-type')?.split(';')[0]],
      [200, etag, type],
    );
    t.equal(head.headers.get('content-length'), String((await whole.arrayBuffer()).byteLength));
  }
});

t.test('one image that many ask for at once is read and drawn once', async (t) => {
  const { system, store } = await open(t, { QR_IMAGES_PER_MINUTE: '1' });
  const { id } = await charge(system, store);
  const ask = async () => (await fetch(`${system.url}/qr/${id}.png`)).status;
  t.strictSame(new Set(await Promise.all(Array.from({ length: 50 }, ask))), new Set([200]));
});

t.test('an address may ask for so many images that are not drawn yet; those drawn are free', async (t) => {
  const { system, store } = await open(t, { QR_IMAGES_PER_MINUTE: '3', TRUST_PROXY: '1' });
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) ids.push((await charge(system, store)).id);
  const ask = (id: string | undefined, address = '203.0.113.1') =>
    system.api(`/qr/${id}.svg`, { headers: { 'x-forwarded-for': address } });
  for (const id of ids.slice(0, 3)) t.equal((await ask(id)).status, 200);
  const refused = await ask(ids[3]);
  isError(t, refused, 429, 'Muitas requisições. Tente novamente mais tarde.');
  const seconds = Number(refused.headers.get('retry-after'));
  t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  t.notMatch(refused.headers.get('cache-control') ?? '', /max-age/);
  for (const id of ids.slice(0, 3)) t.equal((await ask(id)).status, 200);
  t.equal((await ask(ids[3], '203.0.113.2')).status, 200, 'another address');
  t.equal((await ask(ids[3])).status, 200, 'which had it drawn for all');
});

const pictured = (id: string, storeId = 'a store') => ({
  code: `code ${id}`,
  isTest: false,
  storeId,
  facts: { id, status: 'pending' as const, hasCode: true, expiresAt: new Date(Date.now() + 60_000) },
});

t.test('more than can be drawn soon is turned away at once', async (t) => {
  const images = qrImages({
    read: async (id) => pictured(id),
    readNews: async () => undefined,
    now: () => new Date(),
  });
  const show = (id: string) => images.show(id, 'png', async () => {});
  const answers = await Promise.allSettled(Array.from({ length: 240 }, (_, n) => show(`${n}`)));
  const shed = answers.filter(({ status }) => status === 'rejected');
  t.equal(answers.length - shed.length, 1 + 100, 'one is drawn and a hundred wait');
  const reasons = answers.slice(1 + 100).map((answer) => answer.status === 'rejected' && answer.reason);
  t.ok(reasons.every((reason) => reason instanceof ApiError && reason.statusCode === 503));
  t.equal(readPng((await show('239')).image.bytes), 'code 239', 'and there is room again');
});

t.test('a store’s image waits for one of another store’s flood, and not for all', async (t) => {
  const drawn: string[] = [];
  const images = qrImages({
    read: async (id) => pictured(id, id === 'other' ? 'another store' : 'a store'),
    readNews: async () => undefined,
    now: () => new Date(),
  });
  const show = (id: string) => images.show(id, 'png', async () => {}).then(() => drawn.push(id));
  const flood = Array.from({ length: 101 }, (_, n) => show(`${n}`));
  await Promise.all([...flood, show('other')]);
  t.ok(drawn.indexOf('other') <= 1, `drawn as number ${drawn.indexOf('other') + 1}`);
});

t.test('a flood of images: each is drawn, or told that there is no room', async (t) => {
  const { system, store } = await open(t, { QR_IMAGES_PER_MINUTE: '0' });
  const payments = await Promise.all(Array.from({ length: 240 }, () => charge(system, store)));
  const answers = await Promise.all(payments.map(({ id }) => system.api(`/qr/${id}.png`)));
  const shed = answers.filter(({ status }) => status !== 200);
  for (const answer of shed) isError(t, answer, 503, 'Serviço temporariamente indisponível.');
  t.ok(shed.length < answers.length, 'some are drawn');
  t.equal((await system.api(`/qr/${payments.at(-1)?.id}.png`)).status, 200, 'and there is room again');
});

t.test('a code that comes later is found then: no 404 is kept', async (t) => {
  const { system, store } = await open(t);
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const { id } = await charge(system, store);
  isError(t, await system.api(`/qr/${id}.png`), 404, 'QR Code não encontrado.');
  await system.bank('/bank/faults', {});
  const dispatcher = await system.startDispatcher();
  t.teardown(() => dispatcher.close());
  for (;;) {
    const { body } = await system.api(`/api-public/payments/${id}`, { token: store.token });
    if (body.qrCopyPaste) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  t.equal((await system.api(`/qr/${id}.png`)).status, 200);
});

t.test('many images read the state of their payments in one statement at a time', async (t) => {
  const known = (id: string) => ({ id, status: 'pending' as const, hasCode: true, expiresAt: new Date() });
  const batches: string[][] = [];
  let answer = Promise.withResolvers<void>();
  const read = sharedReading(async (asked) => {
    batches.push(asked.map(({ id }) => id));
    await answer.promise;
    return asked.filter(({ id }) => id === 'c').map((facts) => ({ ...facts, status: 'approved' as const }));
  });
  const first = read(known('a'));
  await new Promise(setImmediate);
  const others = ['b', 'c', 'd'].map((id) => read(known(id)));
  await new Promise(setImmediate);
  t.strictSame(batches, [['a']], 'the others wait');
  answer.resolve();
  t.equal(await first, undefined);
  t.strictSame(
    (await Promise.all(others)).map((news) => news?.status),
    [undefined, 'approved', undefined],
  );
  t.strictSame(batches, [['a'], ['b', 'c', 'd']]);
  answer = Promise.withResolvers();
  const failing = read(known('e'));
  answer.reject(new Error('away'));
  await t.rejects(failing, { message: 'away' });
  answer = Promise.withResolvers();
  answer.resolve();
  t.equal(await read(known('f')), undefined, 'a failure ends with its batch');
});
