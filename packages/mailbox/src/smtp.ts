import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { Message, Messages } from './messages.ts';

export type SmtpListener = { port: number; close(): Promise<void> };

const bytesAtMost = 1024 * 1024;

/** Takes every mail, whoever sends it to whomever. It is for this machine alone, so it offers neither TLS nor sign-in. */
export function listenSmtp(
  messages: Messages,
  { host, port }: { host: string; port: number },
): Promise<SmtpListener> {
  const options = { disabledCommands: ['STARTTLS', 'AUTH'], size: bytesAtMost, closeTimeout: 1_000 };
  return startSmtp({ ...options, host, port }, async ({ recipients, message }) => {
    const { from, subject = '', text = '', html = '' } = message;
    const mail: Omit<Message, 'id' | 'to'> = {
      from: from?.address ?? '',
      subject,
      text: text.trimEnd(),
      html,
      receivedAt: new Date(),
    };
    for (const to of recipients) messages.add({ to, ...mail });
  });
}

type Mail = { recipients: string[]; message: Email };

/**
 * Starts an SMTP server.
 * @param take called with a mail that was read whole, before the answer to it, which is its error if it throws one
 */
export async function startSmtp(
  { host, port, ...options }: SMTPServerOptions & { host: string; port: number },
  take: (mail: Mail) => Promise<void>,
): Promise<SmtpListener & { server: SMTPServer }> {
  const server = new SMTPServer({
    ...options,
    onData: (stream, { envelope }, done) => {
      const recipients = envelope.rcptTo.map(({ address }) => address);
      read(stream)
        .then((message) => take({ recipients, message }))
        .then(() => done(null), done);
    },
  });
  // A client that breaks off is no reason to end.
  server.on('error', () => {});
  server.listen(port, host);
  // A port that is taken, or a host that is none, ends the start.
  await once(server.server, 'listening');
  return {
    server,
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Body = Parameters<typeof buffer>[0] & { sizeExceeded?: boolean };

async function read(stream: Body): Promise<Email> {
  const raw = await buffer(stream);
  if (stream.sizeExceeded) throw Object.assign(new Error('message too large'), { responseCode: 552 });
  return PostalMime.parse(raw);
}
