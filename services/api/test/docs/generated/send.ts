import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import type { GeneratedRequest } from './requests.ts';

export type SentAnswer = { status: number; headers: IncomingHttpHeaders; body: string };

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Sends a request unchanged. `fetch` would correct or refuse some. */
export function send(base: string, { method, path, headers, body }: GeneratedRequest): Promise<SentAnswer> {
  return new Promise((resolve, reject) => {
    // A body of bytes, because a text body would change the encoding of the headers in Node.
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes ? { 'content-length': bytes.length } : {};
    const options = { agent, method, headers: { ...headers, ...length } };
    const { hostname, port } = new URL(base);
    const sent = httpRequest({ ...options, hostname, port, path }, (answer) => {
      const { statusCode: status = 0 } = answer;
      text(answer).then((read) => resolve({ status, headers: answer.headers, body: read }), reject);
    });
    sent.on('error', reject).end(bytes);
  });
}
