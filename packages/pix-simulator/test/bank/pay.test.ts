import { createHash, createPublicKey, verify } from 'node:crypto';
import { Script } from 'node:vm';
import { buildBrCode } from '@payments/pix/brcode';
import t from 'tap';
import { KEY, startBank, TXID } from '../bank-under-test.ts';
import { failuresOf } from '../conform.ts';

t.test('a code is paid with what the charge asks', async (t) => {
  const bank = await startBank(t, { now: () => Date.parse('2026-03-04T05:06:07.890Z') });
  const paid = await bank.pay(await bank.charge());
  t.equal(paid.status, 201);
  t.match(paid.body, { txid: TXID, valor: '10.00', horario: '2026-03-04T05:06:07.890Z' });
  t.match(paid.body.endToEndId, /^E\d{8}202603040506[a-zA-Z0-9]{11}$/);

  const charge = await bank.asReceiver('GET', `/cob/${TXID}`);
  t.same(failuresOf('CobCompleta', charge.body), []);
  t.match(charge.body, { status: 'CONCLUIDA', pix: [{ valor: '10.00', chave: KEY, txid: TXID }] });
  const pix = await bank.asReceiver('GET', `/pix/${paid.body.endToEndId}`);
  t.same(failuresOf('Pix', pix.body), []);
  t.match(pix.body, { endToEndId: paid.body.endToEndId });
  t.match((await bank.asAnyone('GET', `/bank/charges/${TXID}`)).body, { pix: [{ devolucoes: [] }] });
  t.match((await bank.asAnyone('GET', '/bank/charges')).body, { charges: [{ txid: TXID }] });
});

t.test('any amount is paid, as text or number; any amount concludes the charge', async (t) => {
  for (const [valor, arrives] of [
    ['7.5', '7.50'],
    [12, '12.00'],
    ['0.01', '0.01'],
    [19.99, '19.99'],
  ]) {
    const bank = await startBank(t);
    t.match((await bank.pay(await bank.charge(), { valor })).body, { valor: arrives });
    t.match((await bank.asReceiver('GET', `/cob/${TXID}`)).body, { status: 'CONCLUIDA' });
  }
});

t.test('twice, after the expiry, after the removal: money arrives all the same', async (t) => {
  const bank = await startBank(t);
  const code = await bank.charge();
  t.equal((await bank.pay(code)).status, 201);
  await bank.advance(7200);
  t.equal((await bank.pay(code, { valor: '3.00' })).status, 201);
  t.match((await bank.asAnyone('GET', `/bank/charges/${TXID}`)).body.pix, [
    { valor: '10.00' },
    { valor: '3.00' },
  ]);

  const removed = await bank.charge('b'.repeat(32));
  await bank.asReceiver('PATCH', `/cob/${'b'.repeat(32)}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  t.equal((await bank.pay(removed)).status, 201);
  const shown = await bank.asReceiver('GET', `/cob/${'b'.repeat(32)}`);
  t.match(shown.body, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR', pix: [{ valor: '10.00' }] });
});

t.test('late on request: dated after the expiry', async (t) => {
  const bank = await startBank(t, { now: () => Date.parse('2026-03-04T05:00:00Z') });
  const paid = await bank.pay(await bank.charge(), { late: true });
  t.equal(paid.body.horario, '2026-03-04T06:00:01.000Z');
});

t.test('seen late on request: dated some time ago', async (t) => {
  const bank = await startBank(t, { now: () => Date.parse('2026-03-04T05:00:00Z') });
  const paid = await bank.pay(await bank.charge(), { secondsAgo: 90 });
  t.equal(paid.body.horario, '2026-03-04T04:58:30.000Z');
});

t.test('unknown codes are 404, malformed requests 400', async (t) => {
  const bank = await startBank(t);
  const code = await bank.charge();
  const stranger = buildBrCode({ location: 'other.bank/qr/1', merchantName: 'a', merchantCity: 'b' });
  for (const unknown of [stranger, 'abc', code.slice(0, -1)])
    t.equal((await bank.pay(unknown)).status, 404, unknown);
  const bodies = [{}, { pixCopiaECola: 7 }, { pixCopiaECola: '' }, []];
  for (const body of bodies) t.equal((await bank.asAnyone('POST', '/bank/pay', body)).status, 400);
  for (const valor of [0, -1, '0.00', '1.234', 'ten', null, {}]) {
    t.equal((await bank.pay(code, { valor })).status, 400, JSON.stringify(valor));
  }
});

t.test('the location serves the charge, signed with the key that is shown', async (t) => {
  const bank = await startBank(t);
  await bank.charge();
  const { location } = (await bank.asReceiver('GET', `/cob/${TXID}`)).body;
  const path = location.slice(location.indexOf('/'));
  const payload = await bank.app.inject(path);
  t.equal(payload.headers['content-type'], 'application/jose');
  const [header = '', body = '', signature = ''] = payload.body.split('.');
  const [jwk] = (await bank.asAnyone('GET', '/qr/jwks')).body.keys;
  const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const };
  t.ok(verify('sha256', Buffer.from(`${header}.${body}`), key, Buffer.from(signature, 'base64url')));
  t.match(JSON.parse(Buffer.from(body, 'base64url').toString()), {
    txid: TXID,
    valor: { original: '10.00' },
  });
  t.equal((await bank.asAnyone('GET', '/qr/unknown')).status, 404);
  await bank.asReceiver('PATCH', `/cob/${TXID}`, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  t.equal((await bank.asAnyone('GET', path)).status, 410);
});

t.test('what a code says, and the page that asks', async (t) => {
  const bank = await startBank(t);
  const code = await bank.charge();
  await bank.pay(code);
  const said = await bank.asAnyone('POST', '/bank/read', { pixCopiaECola: ` ${code}\n` });
  t.match(said.body, {
    code: { merchantName: 'Loja de Demonstracao' },
    charge: { txid: TXID, valor: '10.00', expirada: false, pago: [{ valor: '10.00' }] },
  });
  const stranger = buildBrCode({ location: 'other.bank/qr/1', merchantName: 'a', merchantCity: 'b' });
  t.match(await bank.asAnyone('POST', '/bank/read', { pixCopiaECola: stranger }), { body: { charge: null } });
  t.equal((await bank.asAnyone('POST', '/bank/read', { pixCopiaECola: 'abc' })).status, 404);

  const page = await bank.app.inject('/');
  t.match(page.headers['content-type'], 'text/html');
  const [, script = ''] = /<script>([\s\S]*)<\/script>/.exec(page.body) ?? [];
  const digest = createHash('sha256').update(script).digest('base64');
  t.match(page.headers['content-security-policy'], `'sha256-${digest}'`, 'the page may run its script');
  t.doesNotThrow(() => new Script(script));
});
