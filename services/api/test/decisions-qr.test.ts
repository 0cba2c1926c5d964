import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';
import { readPng, readSvg } from './qr-reader.ts';

/** The API serves the image of qrCodeUrl without a token (Contract: QR image). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const create = async () =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } })).body;
const payment = await create();

t.test('the PNG decodes to the copy-and-paste code', async (t) => {
  t.equal(payment.qrCodeUrl, `${system.env.PUBLIC_URL}/qr/${payment.id}.png`);
  const answer = await fetch(payment.qrCodeUrl);
  t.equal(answer.status, 200);
  t.equal(answer.headers.get('content-type'), 'image/png');
  t.equal(readPng(Buffer.from(await answer.arrayBuffer())), payment.qrCopyPaste);
});

t.test('the SVG, too', async (t) => {
  const answer = await fetch(payment.qrCodeUrl.replace(/png$/, 'svg'));
  t.equal(answer.status, 200);
  t.match(answer.headers.get('content-type'), /^image\/svg\+xml/);
  t.equal(readSvg(await answer.text()), payment.qrCopyPaste);
});

t.test('other pages may embed it, and it runs nothing', async (t) => {
  for (const kind of ['png', 'svg']) {
    const { headers } = await fetch(payment.qrCodeUrl.replace(/png$/, kind));
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
