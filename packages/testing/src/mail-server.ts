import { EventEmitter, once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { patienceMs } from './patience.ts';

/** A mail that the server has read whole, also if it then refused it or cut the connection. */
export type ReceivedMail = {
  to: string;
  from: string;
  subject: string;
  text: string;
  html: string;
  /** With its angle brackets. */
  messageId: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
};

type Step = 'connect' | 'auth' | 'mail' | 'rcpt' | 'data';

/** The server's conduct at a step: it answers with a status, never answers, or cuts the connection; `data` is behind the body. */
export type MailFault = { at: Step; does: number | 'hang' | 'cut'; to?: string };

export type MailServer = {
  port: number;
  /** `smtp://127.0.0.1:…`, or `smtps://…`. */
  url: string;
  received: ReceivedMail[];
  /** The steps that clients have come to, in order. */
  steps: Step[];
  /** The first mail, past or future, for which `matches` holds. */
  waitFor(matches: (mail: ReceivedMail) => boolean, timeoutMs?: number): Promise<ReceivedMail>;
  /** Resolves when a client has come to a step. */
  reached(step: Step, timeoutMs?: number): Promise<void>;
  /** Behaves so from now on; without a fault it takes everything. `to` limits a fault to one recipient. */
  behave(fault?: MailFault): void;
  close(): Promise<void>;
};

export type MailServerOptions = {
  /** Its certificate and key, PEM: it speaks TLS, from the first byte or after STARTTLS. */
  tls?: { cert: string; key: string; from: 'start' | 'starttls' };
  /** The only user and password that it lets in; without it everybody may send. */
  credentials?: { user: string; pass: string };
  port?: number;
  /** Called for a mail that was read whole, before the answer to it. */
  onMail?: (mail: ReceivedMail) => void;
};

/** Starts a real SMTP server on 127.0.0.1. */
export async function startMailServer(options: MailServerOptions = {}): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const steps: Step[] = [];
  const news = new EventEmitter().setMaxListeners(0);
  const sockets = new Set<Socket>();
  let fault: MailFault | undefined;

  const reach = (step: Step, done: (error?: Error | null) => void, recipients: readonly string[] = []) => {
    steps.push(step);
    news.emit('news');
    const isHit = fault?.at === step && (fault.to === undefined || recipients.includes(fault.to));
    if (!isHit || !fault) return done();
    if (fault.does === 'hang') return;
    if (fault.does === 'cut') return sockets.forEach((socket) => void socket.resetAndDestroy());
    // A server's words may repeat the address: nobody may log them.
    const words = `5.1.1 no such person ${recipients.join()}`.replace(/^5/, String(fault.does)[0] ?? '5');
    done(Object.assign(new Error(words), { responseCode: fault.does }));
  };

  const server = new SMTPServer({
    ...tlsOptions(options),
    authOptional: options.credentials === undefined,
    closeTimeout: 1,
    onConnect: (_session, done) => reach('connect', done),
    onAuth: ({ username, password }, _session, done) =>
      reach('auth', (error) => {
        const { user, pass } = options.credentials ?? {};
        if (error) return done(error);
        return username === user && password === pass
          ? done(null, { user })
          : done(null, { user: undefined });
      }),
    onMailFrom: (_address, _session, done) => reach('mail', done),
    onRcptTo: ({ address }, _session, done) => reach('rcpt', done, [address]),
    onData: (stream, { envelope }, done) => {
      const recipients = envelope.rcptTo.map(({ address }) => address);
      const take = async () => {
        const mail = await read(await buffer(stream), recipients);
        received.push(mail);
        options.onMail?.(mail);
        reach('data', done, recipients);
      };
      // A client that breaks off in its body has sent no mail.
      take().catch(done);
    },
  });
  server.on('error', () => {});
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server.server, 'listening');

  const until = async <T>(what: string, found: () => T | undefined, timeoutMs: number): Promise<T> => {
    const signal = AbortSignal.timeout(Math.max(timeoutMs, patienceMs));
    for (;;) {
      const result = found();
      if (result !== undefined) return result;
      await once(news, 'news', { signal }).catch(() => {
        throw new Error(`waited in vain for ${what}; steps: ${steps.join()}; mails: ${received.length}`);
      });
    }
  };
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    url: `${options.tls?.from === 'start' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    received,
    steps,
    waitFor: (matches, timeoutMs = 0) => until('a mail', () => received.find(matches), timeoutMs),
    reached: async (step, timeoutMs = 0) => {
      await until(step, () => (steps.includes(step) ? true : undefined), timeoutMs);
    },
    behave: (next) => {
      fault = next;
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

function tlsOptions({ tls }: MailServerOptions): SMTPServerOptions {
  if (!tls) return { disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
  return { cert: tls.cert, key: tls.key, secure: tls.from === 'start' };
}

async function read(raw: Buffer, recipients: readonly string[]): Promise<ReceivedMail> {
  const mail = await PostalMime.parse(raw);
  return {
    to: recipients.join(),
    from: mail.from?.address ?? '',
    subject: mail.subject ?? '',
    text: (mail.text ?? '').trimEnd(),
    html: mail.html ?? '',
    messageId: mail.messageId ?? '',
    headers: Object.fromEntries(mail.headers.map(({ key, value }) => [key, value])),
  };
}
