import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { patienceMs } from '@payments/testing/patience';

export type RawAnswer = { status: number; head: string; body: string };

/** Sends raw bytes, which no HTTP client would, and reads until the server closes the connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { port, hostname } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')));
  socket.write(bytes);
  const text = (await buffer(socket)).toString('utf8');
  const end = text.indexOf('\r\n\r\n');
  const head = text.slice(0, end);
  return { status: Number(head.split(' ')[1]), head, body: text.slice(end + 4) };
}
