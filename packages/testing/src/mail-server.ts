import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { startSmtp } from '@payments/mailbox/smtp';
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
  waitFor(matches: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  /** Resolves when a client has come to a step. */
  reached(step: Step): Promise<void>;
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

  const hooks = {
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
  } satisfies Settings;
  const own = { authOptional: options.credentials === undefined, closeTimeout: 1, port: options.port ?? 0 };
  const settings = { ...tlsOptions(options), ...own, ...hooks, host: '127.0.0.1' };
  const { server, port, close } = await startSmtp(settings, async ({ recipients, message }) => {
    const mail = {
      to: recipients.join(),
      from: message.from?.address ?? '',
      subject: message.subject ?? '',
      text: (message.text ?? '').trimEnd(),
      html: message.html ?? '',
      messageId: message.messageId ?? '',
      headers: Object.fromEntries(message.headers.map(({ key, value }) => [key, value])),
    };
    received.push(mail);
    options.onMail?.(mail);
    await new Promise<void>((resolve, reject) =>
      reach('data', (error) => (error ? reject(error) : resolve()), recipients),
    );
  });
  server.server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)).on('error', () => {}));
  });

  const until = async <T>(what: string, found: () => T | undefined): Promise<T> => {
    const signal = AbortSignal.timeout(patienceMs);
    for (;;) {
      const result = found();
      if (result !== undefined) return result;
      await once(news, 'news', { signal }).catch(() => {
        throw new Error(`waited in vain for ${what}; steps: ${steps.join()}; mails: ${received.length}`);
      });
    }
  };
  return {
    port,
    url: `${options.tls?.from === 'start' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    received,
    steps,
    waitFor: (matches) => until('a mail', () => received.find(matches)),
    reached: async (step) => {
      await until(step, () => (steps.includes(step) ? true : undefined));
    },
    behave: (next) => {
      fault = next;
    },
    close: async () => {
      const closed = close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

type Settings = Partial<Parameters<typeof startSmtp>[0]>;

function tlsOptions({ tls }: MailServerOptions): Settings {
  if (!tls) return { disabledCommands: ['STARTTLS'], allowInsecureAuth: true };
  return { cert: tls.cert, key: tls.key, secure: tls.from === 'start' };
}
