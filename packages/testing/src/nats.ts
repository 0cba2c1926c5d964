import { randomInt } from 'node:crypto';
import type { ThrowawayServer } from '@payments/backing-services/backing-server';
import { throwawayNats, throwawaySource } from '@payments/backing-services/throwaway';
import { connect } from 'nats';
import { sharedServer } from './shared-server.ts';

export type TestNats = {
  url: string;
  /** A stream name that no other test uses, such as TEST_AB12CD. */
  stream: string;
  /** Removes the stream, if it was made. */
  stop(): Promise<void>;
};

const natsUrl = sharedServer('TEST_NATS_URL', startOwnNats);

/** The NATS of this test run (`TEST_NATS_URL`), or one made for this process, and a stream of one's own. */
export async function testNats(): Promise<TestNats> {
  const url = await natsUrl();
  const stream = `TEST_${randomName(6)}`;
  return { url, stream, stop: () => removeStream(url, stream) };
}

/** A NATS for a test that stops, kills and starts it; `remove` it at the end. */
export async function startOwnNats(): Promise<ThrowawayServer> {
  return throwawayNats(await throwawaySource());
}

function randomName(length: number): string {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

async function removeStream(servers: string, stream: string) {
  const connection = await connect({ servers });
  try {
    const streams = (await connection.jetstreamManager()).streams;
    if ((await streams.names().next()).includes(stream)) await streams.delete(stream);
  } finally {
    await connection.close();
  }
}
