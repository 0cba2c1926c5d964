import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import type { Message, Messages } from './messages.ts';

export type SmtpListener = { port: number; close(): Promise<void> };

const bytesAtMost = 1024 * 1024;

/** Takes every mail, whoever sends it to whomever. It is for this machine alone, so it offers neither TLS nor sign-in. */
export async function listenSmtp(
  messages: Messages,
  { host, port }: { host: string; port: number },
): Promise<SmtpListener> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS', 'AUTH'],
    size: bytesAtMost,
    closeTimeout: 1_000,
    onData: (stream, { envelope }, done) => {
      const recipients = envelope.rcptTo.map(({ address }) => address);
      receive(stream, recipients, messages).then(() => done(null), done);
    },
  });
  server.listen(port, host);
  // A port that is taken ends the start.
  await once(server.server, 'listening');
  // A client that breaks off is no reason to end.
  server.on('error', () => {});
  return {
    port: (server.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

type Body = Parameters<typeof buffer>[0] & { sizeExceeded?: boolean };

async function receive(stream: Body, recipients: readonly string[], messages: Messages): Promise<void> {
  const raw = await buffer(stream);
  if (stream.sizeExceeded) throw Object.assign(new Error('message too large'), { responseCode: 552 });
  const { from, subject = '', text = '', html = '' } = await PostalMime.parse(raw);
  const mail: Omit<Message, 'id' | 'to'> = {
    from: from?.address ?? '',
    subject,
    text: text.trimEnd(),
    html,
    receivedAt: new Date(),
  };
  for (const to of recipients) messages.add({ to, ...mail });
}
