import { appendFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startMailServer } from '@payments/testing/mail-server';
import { Webhook } from 'standardwebhooks';
import type { MailBehaviour, SeenMail } from './mail.ts';

/**
 * The far end of notices as one process: the mail server, and the receiver of the platform's webhook. What it takes is in
 * a file before it says so, and outlives it.
 */
const { PORT, SMTP_PORT, DATA_FILE = '', SECRET = '' } = process.env;
let behaviour: MailBehaviour = 'takes';

const keep = (seen: Omit<SeenMail, 'at'>) =>
  appendFileSync(DATA_FILE, `${JSON.stringify({ ...seen, at: Date.now() } satisfies SeenMail)}\n`);

const server = await startMailServer({
  port: Number(SMTP_PORT),
  onMail: ({ messageId: id, to, subject, text }) => keep({ id, to, subject, text }),
});

// For good would be a 5xx: then nobody need be told.
const faults = {
  takes: undefined,
  refuses: { at: 'rcpt', does: 451 },
  'loses-answers': { at: 'data', does: 'cut' },
} as const;

createServer((request, response) => void answer(request, response).catch(() => response.destroy())).listen(
  Number(PORT),
  '127.0.0.1',
);

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request);
  if (request.url === '/notices') return takePost(request, response, body);
  if (request.url === '/behaviour') {
    behaviour = JSON.parse(body).behaviour;
    server.behave(faults[behaviour]);
  }
  response.end();
}

function takePost({ headers, socket }: IncomingMessage, response: ServerResponse, body: string): void {
  if (behaviour === 'refuses') return void response.writeHead(503).end();
  new Webhook(SECRET).verify(body, headers as Record<string, string>);
  keep({ id: String(headers['webhook-id']), to: 'webhook', subject: JSON.parse(body).kind, text: body });
  if (behaviour === 'loses-answers') socket.resetAndDestroy();
  else response.end();
}
