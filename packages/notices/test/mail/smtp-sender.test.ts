import { type AddressInfo, createServer } from 'node:net';
import { type MailFault, type MailServerOptions, startMailServer } from '@payments/testing/mail-server';
import { generate } from 'selfsigned';
import t, { type Test } from 'tap';
import { openSmtpSender, type SmtpSenderOptions } from '../../src/mail/smtp-sender.ts';
import { readSmtpUrl } from '../../src/mail/smtp-url.ts';
import type { Letter, SendResult } from '../../src/sending.ts';

/** Mails sent to a real SMTP server, which accepts, refuses, hangs, and cuts the connection. */

const letter: Letter = {
  id: '0199c0de-0000-7000-8000-000000000001',
  to: 'ana@loja.example',
  subject: 'Pagamento em revisão — decida até 14:32',
  text: 'Olá, Ana.\n\nUm pagamento espera a sua decisão.',
  html: '<p>Olá, Ana.</p>',
};

type Given = Partial<Omit<SmtpSenderOptions, 'server'>> & { credentials?: { user: string; pass: string } };

function sender(url: string, { credentials, ...options }: Given = {}) {
  const server = readSmtpUrl(url);
  if (typeof server === 'string') throw new Error(server);
  const from = 'Pix da Loja <avisos@pix.example>';
  return openSmtpSender({
    server: { ...server, ...(credentials && { credentials }) },
    from,
    allowPlain: false,
    ...options,
  });
}

async function mailServer(t: Test, options?: MailServerOptions) {
  const server = await startMailServer(options);
  t.teardown(() => server.close());
  return server;
}

t.test('a letter arrives whole, under an id that follows from its own', async (t) => {
  const server = await mailServer(t);
  const { send, close } = sender(server.url);
  t.same(await send(letter), { state: 'sent' });
  t.same(await send(letter), { state: 'sent' });
  await close();

  const [first, second] = server.received;
  t.match(first, { to: letter.to, from: 'avisos@pix.example', subject: letter.subject, text: letter.text });
  t.match(first?.html, letter.html);
  t.equal(first?.messageId, `<${letter.id}@pix.example>`);
  t.equal(second?.messageId, first?.messageId, 'a repeated letter is known as the same');
  t.match(first?.headers, { 'auto-submitted': 'auto-generated', from: 'Pix da Loja <avisos@pix.example>' });
});

t.test('addresses and subjects add no header and no recipient', async (t) => {
  const server = await mailServer(t);
  const { send } = sender(server.url);
  await send({ ...letter, subject: 'Um\r\nBcc: mallory@evil.example' });
  t.equal(server.received[0]?.to, letter.to);
  t.notOk(server.received[0]?.headers.bcc);
  for (const to of ['ana@loja.example, mallory@evil.example', 'ana@loja.example>\r\nRCPT TO:<m@evil.example'])
    await send({ ...letter, to });
  t.same(
    server.received.filter(({ to }) => /evil/.test(to)),
    [],
  );
});

type Refusal = { fault: MailFault; result: SendResult };
const refused = (detail: string): SendResult => ({ state: 'refused', error: { code: 'refused', detail } });
const answered = (detail: string, server: boolean): SendResult => ({
  state: 'not_sent',
  server,
  error: { code: 'answered', detail },
});

const refusals: Record<string, Refusal> = {
  'an unknown recipient is for good': { fault: { at: 'rcpt', does: 550 }, result: refused('550 5.1.1') },
  'a full mailbox is tried again': { fault: { at: 'rcpt', does: 452 }, result: answered('452 4.1.1', false) },
  'a letter that is refused behind its body is for good': {
    fault: { at: 'data', does: 554 },
    result: refused('554 5.1.1'),
  },
  'a letter that is put off behind its body is tried again': {
    fault: { at: 'data', does: 451 },
    result: answered('451 4.1.1', false),
  },
  'a sender that is refused is no fault of the letter': {
    fault: { at: 'mail', does: 550 },
    result: answered('550 5.1.1', true),
  },
  'a recipient refused because we did not sign in is no fault of the letter': {
    fault: { at: 'rcpt', does: 530 },
    result: answered('530 5.1.1', true),
  },
  'a server that closes takes no other letter': {
    fault: { at: 'rcpt', does: 421 },
    result: answered('421 4.1.1', true),
  },
  'a server that greets with a refusal takes no letter': {
    fault: { at: 'connect', does: 554 },
    result: answered('554 5.1.1', true),
  },
};

for (const [name, { fault, result }] of Object.entries(refusals))
  t.test(name, async (t) => {
    const server = await mailServer(t);
    server.behave(fault);
    t.same(await sender(server.url).send(letter), result);
  });

t.test('a recipient who is refused costs the others nothing', async (t) => {
  const server = await mailServer(t);
  server.behave({ at: 'rcpt', does: 550, to: letter.to });
  const { send } = sender(server.url);
  const results = await Promise.all([send(letter), send({ ...letter, to: 'beto@loja.example' })]);
  t.same(
    results.map(({ state }) => state),
    ['refused', 'sent'],
  );
});

const credentials = { user: 'pix', pass: 'segredo@:/' };

for (const at of ['connect', 'auth', 'mail', 'rcpt', 'data'] as const)
  t.test(`a server that hangs at ${at} costs one deadline`, async (t) => {
    const server = await mailServer(t, { credentials });
    server.behave({ at, does: 'hang' });
    const deadline = new AbortController();
    const { send, close } = sender(server.url, { credentials, deadline: () => deadline.signal });
    const sending = send(letter);
    await server.reached(at);
    deadline.abort();
    const error = { code: 'timeout' };
    t.same(
      await sending,
      at === 'data' ? { state: 'unknown', error } : { state: 'not_sent', server: true, error },
    );
    await close();
  });

t.test('a sender that closes waits for a server that hangs no longer than it must', async (t) => {
  const server = await mailServer(t);
  server.behave({ at: 'data', does: 'hang' });
  const end = new AbortController();
  const { send, close } = sender(server.url, { closing: () => end.signal });
  const sending = send(letter);
  await server.reached('data');
  const closed = close();
  end.abort();
  t.same(await sending, { state: 'unknown', error: { code: 'timeout' } });
  await closed;
});

for (const at of ['connect', 'auth', 'mail', 'rcpt', 'data'] as const)
  t.test(`a connection that is cut at ${at}`, async (t) => {
    const server = await mailServer(t, { credentials });
    server.behave({ at, does: 'cut' });
    const { send } = sender(server.url, { credentials });
    t.match(
      await send(letter),
      at === 'data'
        ? { state: 'unknown', error: { code: 'connection_lost' } }
        : { state: 'not_sent', server: true, error: { code: 'connection_lost' } },
    );
    server.behave();
    t.same(await send(letter), { state: 'sent' });
    const ids = new Set(server.received.map(({ messageId }) => messageId));
    t.equal(ids.size, 1, 'what may have arrived is repeated under its id');
  });

t.test('a server that connects and says nothing, and one that is not there', async (t) => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  const connected = new Promise((resolve) => silent.once('connection', resolve));
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  for (const scheme of ['smtp', 'smtps']) {
    const deadline = new AbortController();
    const sending = sender(`${scheme}://127.0.0.1:${port}`, { deadline: () => deadline.signal }).send(letter);
    await connected;
    deadline.abort();
    t.match(await sending, { state: 'not_sent', server: true, error: { code: 'timeout' } }, scheme);
  }
  await new Promise((resolve) => silent.close(resolve));
  t.same(await sender(`smtp://127.0.0.1:${port}`).send(letter), {
    state: 'not_sent',
    server: true,
    error: { code: 'unreachable', detail: 'ECONNREFUSED' },
  });
});

t.test('a user and a password', async (t) => {
  const server = await mailServer(t, { credentials });
  t.same(await sender(server.url, { credentials }).send(letter), { state: 'sent' });
  const wrong = await sender(server.url, { credentials: { ...credentials, pass: 'outro' } }).send(letter);
  t.match(wrong, { state: 'not_sent', server: true, error: { code: 'authentication', detail: /^535/ } });
  t.match(await sender(server.url).send(letter), { state: 'not_sent', server: true }, 'it asks who we are');
  t.equal(server.received.length, 1);
  const asksNobody = await mailServer(t);
  const unasked = await sender(asksNobody.url, { credentials }).send(letter);
  t.match(unasked, { state: 'not_sent', error: { code: 'authentication' } });
});

t.test('TLS from the first byte, and after STARTTLS', async (t) => {
  const names = [{ name: 'commonName', value: 'mail.example' }];
  const { cert, private: key } = await generate(names);
  // This machine's own server needs no certificate that anyone knows: here its name is another.
  for (const from of ['start', 'starttls'] as const) {
    const server = await mailServer(t, { tls: { cert, key, from }, credentials });
    t.same(await sender(server.url, { credentials }).send(letter), { state: 'sent' }, from);
  }
});

t.test('beyond this machine', async (t) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: '127.0.0.1' }], {
    extensions: [
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      { name: 'basicConstraints', cA: true },
    ],
  });
  /** As if the server were elsewhere. */
  const elsewhere = (url: string, given: Given = {}) => {
    const server = readSmtpUrl(url);
    if (typeof server === 'string') throw new Error(server);
    const { credentials, ...rest } = given;
    return openSmtpSender({
      server: { ...server, isLocal: false, credentials },
      from: 'avisos@pix.example',
      allowPlain: false,
      ...rest,
    });
  };

  for (const from of ['start', 'starttls'] as const) {
    const server = await mailServer(t, { tls: { cert, key, from } });
    t.match(
      await elsewhere(server.url).send(letter),
      { state: 'not_sent', server: true, error: { code: 'tls' } },
      `${from}: nobody vouches for the certificate`,
    );
    t.same(await elsewhere(server.url, { ca: cert }).send(letter), { state: 'sent' }, from);
  }
  const plain = await mailServer(t, { credentials });
  t.match(
    await elsewhere(plain.url).send(letter),
    { state: 'not_sent', server: true, error: { code: 'tls' } },
    'no letter travels in plain text',
  );
  t.match(
    await elsewhere(plain.url, { credentials, allowPlain: true }).send(letter),
    { state: 'not_sent', error: { code: 'tls' } },
    'a password never does',
  );
  t.notOk(plain.steps.includes('auth'));
  const open = await mailServer(t);
  t.same(await elsewhere(open.url, { allowPlain: true }).send(letter), { state: 'sent' });
});

t.test('nothing of an outcome repeats an address or a word of the server', async (t) => {
  const server = await mailServer(t);
  for (const fault of [{ at: 'rcpt', does: 550 } as const, { at: 'data', does: 451 } as const]) {
    server.behave(fault);
    t.notMatch(JSON.stringify(await sender(server.url).send(letter)), /ana@|no such person/);
  }
});
