import { createTransport } from 'nodemailer';
import t, { type Test } from 'tap';
import { buildMailbox } from '../src/app.ts';
import { keepMessages } from '../src/messages.ts';
import { listenSmtp } from '../src/smtp.ts';

async function mailbox(t: Test, atMost = 10) {
  const messages = keepMessages(atMost);
  const smtp = await listenSmtp(messages, { host: '127.0.0.1', port: 0 });
  const app = buildMailbox(messages);
  const transport = createTransport({ host: '127.0.0.1', port: smtp.port });
  t.teardown(async () => {
    await app.close();
    await smtp.close();
  });
  const send = (mail: object) => transport.sendMail({ from: 'pix@loja.example', ...mail });
  return { app, send };
}

const list = async ({ app }: Awaited<ReturnType<typeof mailbox>>) =>
  (await app.inject('/messages')).json<Record<string, string>[]>();

t.test('mails are listed for programs, newest first, one for each recipient', async (t) => {
  const box = await mailbox(t);
  t.same(await list(box), []);
  await box.send({
    to: 'ana@loja.example',
    subject: 'Primeiro — já',
    text: 'Olá, Ana.\n',
    html: '<p>Olá</p>',
  });
  await box.send({ to: 'ana@loja.example, beto@loja.example', subject: 'Segundo', text: 'Olá.' });
  const [second, alsoSecond, first] = await list(box);
  t.same(new Set([second?.to, alsoSecond?.to]), new Set(['ana@loja.example', 'beto@loja.example']));
  t.match(first, { to: 'ana@loja.example', subject: 'Primeiro — já', text: 'Olá, Ana.' });
  t.same(Object.keys(first ?? {}), ['to', 'subject', 'text', 'receivedAt']);
  t.ok(Date.parse(first?.receivedAt ?? ''));
});

t.test('a host that is no address of this machine ends the start with its error', async (t) => {
  const at = { host: '999.1.1.1', port: 0 };
  await t.rejects(listenSmtp(keepMessages(1), at), { message: /^getaddrinfo E/ });
});

t.test('only the newest are kept, and no huge one is', async (t) => {
  const box = await mailbox(t, 2);
  for (const subject of ['um', 'dois', 'três']) await box.send({ to: 'ana@loja.example', subject });
  await t.rejects(box.send({ to: 'ana@loja.example', subject: 'grande', text: 'x'.repeat(2_000_000) }));
  t.same(
    (await list(box)).map(({ subject }) => subject),
    ['três', 'dois'],
  );
});

t.test('a mail is shown as text and, in a frame that does nothing, as HTML', async (t) => {
  const box = await mailbox(t);
  const body =
    '<body><script>document.title = 1</script><a href="http://localhost:3001/panel">Abrir</a></body>';
  await box.send({
    to: 'ana@loja.example',
    subject: '<b>Oi</b>',
    text: '</pre><script>1</script>',
    html: `<!doctype html><html><head></head>${body}</html>`,
  });
  const index = await box.app.inject('/');
  t.match(index.body, '&lt;b&gt;Oi&lt;/b&gt;');
  t.match(index.body, '/mails/1');
  const page = await box.app.inject('/mails/1');
  t.match(page.body, 'sandbox="allow-popups allow-popups-to-escape-sandbox"');
  t.notMatch(page.body, '<script>1</script>');
  const frame = await box.app.inject('/mails/1/html');
  t.match(frame.body, `<!doctype html><html><head><base target="_blank"></head>${body}`);
  const policy = String(frame.headers['content-security-policy']);
  t.match(policy, "default-src 'none'");
  t.match(policy, 'sandbox allow-popups');
  t.notMatch(policy, 'allow-scripts');
});

t.test('what does not exist', async (t) => {
  const { app } = await mailbox(t);
  t.equal((await app.inject('/mails/7')).statusCode, 404);
  t.equal((await app.inject('/mails/7/html')).statusCode, 404);
  t.equal((await app.inject('/mails/x')).statusCode, 400);
  t.equal((await app.inject('/health/live')).statusCode, 200);
});
