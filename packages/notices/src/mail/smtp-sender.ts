import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { Letter, LetterSender, SendResult } from '../sending.ts';
import { type Stage, sendResultOf } from './send-result.ts';
import type { MailServer } from './smtp-url.ts';

export type SmtpSenderOptions = {
  server: MailServer;
  /** The sender: `pix@loja.example`, or `Pix da Loja <pix@loja.example>`. */
  from: string;
  /** Lets mails travel without TLS to a server beyond this machine. Credentials never do. */
  allowPlain: boolean;
  /** Authorities that sign the server's certificate, PEM; the system's without it. */
  ca?: string | undefined;
  /** The end of one try, all its stages together. A test ends it by hand. */
  deadline?: () => AbortSignal;
  /** From `close` to the end of every try that is left. A test ends it by hand. */
  closing?: () => AbortSignal;
};

// Mail servers may take their time to judge a body.
const deadlineMs = 20_000;
// A process that is to end must not be killed beside a server that hangs: the outcome would not be recorded, and the
// mail would rest until its lease is over.
const closingMs = 5_000;

/** Sends each letter over a connection of its own: letters are few, and a kept one ends unseen. */
export function openSmtpSender(options: SmtpSenderOptions): LetterSender {
  const { deadline = () => AbortSignal.timeout(deadlineMs) } = options;
  const { closing = () => AbortSignal.timeout(closingMs) } = options;
  const end = new AbortController();
  const inFlight = new Set<Promise<SendResult>>();
  return {
    send: (letter) => {
      const sending = send(options, letter, AbortSignal.any([deadline(), end.signal]));
      inFlight.add(sending);
      void sending.finally(() => inFlight.delete(sending));
      return sending;
    },
    close: async () => {
      const late = closing();
      late.addEventListener('abort', () => end.abort(late.reason), { once: true });
      await Promise.all(inFlight);
    },
  };
}

/** A try: its stage tells what a failure means, and the connection is closed in every case. */
type Try = { stage: Stage; connection?: SMTPConnection };

async function send(options: SmtpSenderOptions, letter: Letter, deadline: AbortSignal): Promise<SendResult> {
  const attempt: Try = { stage: 'connect' };
  const late = Promise.withResolvers<never>();
  const end = () => late.reject(deadline.reason);
  late.promise.catch(() => {});
  deadline.addEventListener('abort', end, { once: true });
  if (deadline.aborted) end();
  let socket: Socket | undefined;
  try {
    const message = await composed(options.from, letter);
    socket = connect({ host: options.server.host, port: options.server.port });
    await Promise.race([exchange(options, { letter, message, socket, attempt }), late.promise]);
    return { state: 'sent' };
  } catch (error) {
    return sendResultOf(attempt.stage, error);
  } finally {
    deadline.removeEventListener('abort', end);
    attempt.connection?.close();
    socket?.destroy();
  }
}

type Exchange = { letter: Letter; message: Buffer; socket: Socket; attempt: Try };

async function exchange(options: SmtpSenderOptions, { letter, message, socket, attempt }: Exchange) {
  await once(socket, 'connect');
  const connection = new SMTPConnection(connectionOptions(options, socket));
  attempt.connection = connection;
  // It reports the end of a connection by this event alone, whatever step waits.
  const broken = new Promise<never>((_, reject) => connection.on('error', reject));
  broken.catch(() => {});
  const step = (begin: (done: (error?: Error | null) => void) => void) =>
    Promise.race([
      broken,
      new Promise<void>((resolve, reject) => begin((error) => (error ? reject(error) : resolve()))),
    ]);

  await step((done) => connection.connect(done));
  const { credentials } = options.server;
  if (credentials) {
    attempt.stage = 'sign_in';
    await step((done) => connection.login({ credentials }, done));
  }
  attempt.stage = 'envelope';
  // The body is read once the server has asked for it. From then on the letter may arrive whatever we hear.
  const body = new Readable({
    read() {
      attempt.stage = 'body';
      this.push(message);
      this.push(null);
    },
  });
  const envelope = { from: addressOf(options.from), to: letter.to };
  await step((done) => connection.send(envelope, body, done));
}

function connectionOptions({ server, allowPlain, ca }: SmtpSenderOptions, socket: Socket) {
  const isGuarded = !server.isLocal && !(allowPlain && server.credentials === undefined);
  return {
    connection: socket,
    host: server.host,
    port: server.port,
    secure: server.isTls,
    requireTLS: !server.isTls && isGuarded,
    tls: { rejectUnauthorized: !server.isLocal, ...(ca !== undefined && { ca }) },
    // The deadline ends every stage.
    connectionTimeout: 2 * deadlineMs,
    greetingTimeout: 2 * deadlineMs,
    socketTimeout: 2 * deadlineMs,
    socketCloseTimeout: 0,
    maxResponseSize: 16 * 1024,
  };
}

/** @returns the letter as MIME. Its Message-ID follows from its id: who gets it twice sees one */
function composed(from: string, { id, to, subject, text, html }: Letter): Promise<Buffer> {
  const mail = {
    from,
    to: { name: '', address: to },
    subject,
    text,
    html,
    messageId: `<${id}@${addressOf(from).split('@').at(-1)}>`,
    // No out-of-office reply comes back (RFC 3834).
    headers: {
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      'Content-Language': 'pt-BR',
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
  return new Promise((resolve, reject) =>
    new MailComposer(mail).compile().build((error, message) => (error ? reject(error) : resolve(message))),
  );
}

/** @returns the address of `Name <address>` */
function addressOf(from: string): string {
  return /<([^<>]+)>\s*$/.exec(from)?.[1] ?? from.trim();
}
