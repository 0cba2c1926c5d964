import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../payments/expectations.ts';
import { readPng, readSvg } from './qr-reader.ts';

/** The API serves the image of qrCodeUrl without a token (Contract: QR image). */
let clock = () => new Date();
const system = await startSystem({ dispatcher: false, now: () => clock() });
t.teardown(system.stop);
const store = await system.createStore();
const create = async (fields: Record<string, unknown> = {}) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 10, ...fields } })).body;
const kinds = ['png', 'svg'] as const;
/** @returns the image as it came, and the code that a camera reads in it */
async function see(id: string, kind: (typeof kinds)[number]) {
  const answer = await fetch(`${system.url}/qr/${id}.${kind}`);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const code = kind === 'png' ? readPng(bytes) : readSvg(bytes.toString());
  const { status, headers } = answer;
  const maxAge = Number(/^public, max-age=(\d+)$/.exec(headers.get('cache-control') ?? '')?.[1]);
  return { status, bytes, code, maxAge, etag: headers.get('etag'), type: headers.get('content-type') };
}
const payment = await create();

t.test('the PNG decodes to the copy-and-paste code', async (t) => {
  t.equal(payment.qrCodeUrl, `${system.env.PUBLIC_URL}/qr/${payment.id}.png`);
  const answer = await fetch(payment.qrCodeUrl!);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'image/png');
  const bytes = Buffer.from(await answer.arrayBuffer());
  t.equal(readPng(bytes), payment.qrCopyPaste);
  t.strictSame(
    [bytes.readUInt32BE(16), bytes.readUInt32BE(20)],
    [512, 512],
    'as wide and high as the documents say',
  );
});

t.test('the SVG, too', async (t) => {
  const answer = await fetch(payment.qrCodeUrl!.replace(/png$/, 'svg'));
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), /^image\/svg\+xml/);
  t.equal(readSvg(await answer.text()), payment.qrCopyPaste);
});

t.test('other pages may embed it, and it runs nothing', async (t) => {
  for (const kind of ['png', 'svg']) {
    const { headers } = await fetch(payment.qrCodeUrl!.replace(/png$/, kind));
    t.equal(headers.get('cross-origin-resource-policy'), 'cross-origin');
    t.match(headers.get('content-security-policy'), /default-src 'none'/);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.match(headers.get('cache-control'), /max-age=\d+/);
  }
});

t.test('without a code there is no image yet, and nobody remembers that', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const waiting = await create();
  await system.bank('/bank/faults', {});
  t.equal(waiting.qrCodeUrl, null);
  for (const kind of ['png', 'svg']) {
    const answer = await system.api(`/qr/${waiting.id}.${kind}`);
    isError(t, answer, 404, 'QR Code não encontrado.');
    t.notMatch(answer.headers.get('cache-control') ?? '', /max-age/);
  }
});

t.test('the image of a closed payment says so, whether it was drawn before or not', async (t) => {
  const [seen, unseen] = [await create(), await create()];
  const before = await Promise.all(kinds.map((kind) => see(seen.id, kind)));
  t.strictSame(
    before.map(({ code }) => code),
    [seen.qrCopyPaste, seen.qrCopyPaste],
  );
  for (const { id } of [seen, unseen])
    await system.admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } });
  for (const [index, kind] of kinds.entries()) {
    const closed = await see(seen.id, kind);
    t.equal(closed.status, 200, 'an e-mail shows no image of another status');
    t.equal(closed.code, undefined, 'no camera reads a code');
    t.not(closed.etag, before[index]?.etag, 'a cache that asks gets the new image');
    t.equal(closed.type?.split(';')[0], kind === 'png' ? 'image/png' : 'image/svg+xml');
    t.strictSame((await see(unseen.id, kind)).bytes, closed.bytes);
    if (kind === 'svg') t.match(closed.bytes.toString(), /Código encerrado/);
    const asked = { headers: { 'if-none-match': before[index]?.etag ?? '' } };
    t.equal((await fetch(`${system.url}/qr/${seen.id}.${kind}`, asked)).status, 200);
  }
});

t.test('paid, too; and all that ask meanwhile see the same', async (t) => {
  const payments = await Promise.all(Array.from({ length: 8 }, () => create()));
  for (const { id } of payments) await see(id, 'png');
  const paid = payments[0]!;
  await system.bank('/bank/pay', { pixCopiaECola: paid.qrCopyPaste });
  await system.waitForStatus(store, paid.id, 'approved');
  const codes = await Promise.all(payments.map(async ({ id }) => (await see(id, 'png')).code));
  t.strictSame(codes, [undefined, ...payments.slice(1).map(({ qrCopyPaste }) => qrCopyPaste)]);
});

t.test('caches keep a code until its time to pay ends, and minutes at most', async (t) => {
  t.teardown(() => {
    clock = () => new Date();
  });
  const { id, qrCopyPaste, createdAt } = await create({ expiresIn: 600 });
  const after = (seconds: number) => {
    clock = () => new Date(Date.parse(createdAt) + seconds * 1_000);
  };
  after(0);
  t.equal((await see(id, 'svg')).maxAge, 300);
  after(500);
  const { maxAge, code } = await see(id, 'svg');
  t.ok(maxAge > 0 && maxAge <= 100, `${maxAge} s`);
  t.equal(code, qrCopyPaste);
  for (const seconds of [602, 90_000]) {
    after(seconds);
    for (const kind of kinds) t.equal((await see(id, kind)).code, undefined, `${seconds} s, ${kind}`);
  }
});
