import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { watchStatements } from '../administration/books/statements.ts';
import { openEvents } from './event-stream.ts';

/** The stream of states behind the payer's page (Contract: payer's page). */
const statements = watchStatements();
t.teardown(statements.stop);
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1', CHARGE_GRACE_SECONDS: '0' } });
t.teardown(system.stop);
const store = await system.createStore({ reviewAbove: 500 });
const create = async (amount = 10, fields: Record<string, unknown> = {}) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount, ...fields } })).body;
const follow = (id: string) => openEvents(`${system.url}/pay/${id}/events`);
const pay = ({ qrCopyPaste }: { qrCopyPaste: string | null }) =>
  system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });

t.test('it tells the state at once, then that the customer paid, and ends', async (t) => {
  const payment = await create();
  const stream = await follow(payment.id);
  t.equal(stream.status, 200);
  t.equal(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  t.equal(stream.headers.get('cache-control'), 'no-store');
  t.equal(stream.headers.get('x-robots-tag'), 'noindex');
  await stream.until('waiting');
  await pay(payment);
  await stream.ended;
  t.strictSame(stream.events, ['waiting', 'paid']);
  const late = await follow(payment.id);
  await late.ended;
  t.strictSame(late.events, ['paid'], 'an end state is told once');
});

t.test('each state on the way', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const waiting = await create(600);
  const stream = await follow(waiting.id);
  await stream.until('preparing');
  await system.bank('/bank/faults', {});
  await stream.until('waiting');
  await pay((await system.api(`/api-public/payments/${waiting.id}`, { token: store.token })).body);
  await stream.until('review');
  await system.admin(`/admin/payments/${waiting.id}/status`, { body: { status: 'approved' } });
  await stream.ended;
  t.strictSame(stream.events, ['preparing', 'waiting', 'review', 'paid']);
});

t.test('expiry', async (t) => {
  const { id } = await create(10, { expiresIn: 1 });
  const stream = await follow(id);
  await stream.ended;
  t.equal(stream.events.at(-1), 'closed');
});

t.test('many pages of one payment, and a reader that goes away', async (t) => {
  const payment = await create();
  const gone = await follow(payment.id);
  gone.close();
  await gone.ended;
  const streams = await Promise.all(Array.from({ length: 20 }, () => follow(payment.id)));
  await pay(payment);
  await Promise.all(streams.map(({ ended }) => ended));
  for (const { events } of streams) t.equal(events.at(-1), 'paid');
});

t.test('many open pages are read in one statement, again and again', async (t) => {
  const payments = await Promise.all(Array.from({ length: 50 }, () => create()));
  const streams = await Promise.all(payments.map(({ id }) => follow(id)));
  const reads = () => statements.taken().filter((text) => /unnest.*has_code/s.test(text)).length;
  reads();
  let total = 0;
  const last = payments.at(-1)!;
  const read = await eventually('three reads', async () => {
    total += reads();
    return total >= 3 ? total : undefined;
  });
  t.ok(read < payments.length, `${read} statements for ${payments.length} pages`);
  await Promise.all(streams.map((stream) => stream.until('waiting')));
  await pay(last);
  await streams.at(-1)!.ended;
  t.strictSame([...new Set(streams.slice(0, -1).flatMap(({ events }) => events))], ['waiting']);
  for (const one of streams) one.close();
});

t.test('streams asked for behind another on its connection leave their places with it', async () => {
  const { id } = await create();
  const { hostname, port } = new URL(system.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write(`GET /pay/${id}/events HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`.repeat(20));
  await eventually('every place to be taken', async () => {
    const { status, body } = await fetch(`${system.url}/pay/${id}/events`);
    await body?.cancel();
    return status === 429 || undefined;
  });
  socket.destroy();
  await eventually('the places', async () => {
    const stream = await follow(id);
    stream.close();
    return stream.status === 200 || undefined;
  });
});

t.test('what does not exist has no stream', async (t) => {
  for (const id of ['0190a5b0-0000-7000-8000-000000000000', 'x']) {
    const answer = await system.api(`/pay/${id}/events`);
    t.equal(answer.status, 404);
    t.match(answer.headers.get('content-type'), /^text\/html/);
  }
});
