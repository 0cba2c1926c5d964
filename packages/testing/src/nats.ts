import { randomInt } from 'node:crypto';
import type { ThrowawayServer } from '@payments/backing-services/backing-server';
import { throwawayNats, throwawaySource } from '@payments/backing-services/throwaway';
import { connect, type StreamAPI } from 'nats';
import { sharedServer } from './shared-server.ts';

export type TestNats = {
  url: string;
  /** A stream name that no other test uses, such as TEST_AB12CD. */
  stream: string;
  /** Removes the stream, if it was made. */
  stop(): Promise<void>;
};

const natsUrl = sharedServer('TEST_NATS_URL', startOwnNats);
let keptStream: Promise<void> | undefined;

/** The NATS of this test run (`TEST_NATS_URL`), or one made for this process, and a stream of one's own. */
export async function testNats(): Promise<TestNats> {
  const url = await natsUrl();
  keptStream ??= keepOneStream(url);
  await keptStream;
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

/**
 * With its last stream NATS removes the folder of all of them, and fails to make the stream that another test asks
 * for in that moment ("error creating store for stream"). So one stays; making it again, the same, changes nothing.
 */
function keepOneStream(servers: string): Promise<void> {
  return withStreams(servers, async (streams) => {
    await streams.add({ name: 'STAYS', subjects: ['stays'] });
  });
}

function removeStream(servers: string, stream: string): Promise<void> {
  return withStreams(servers, async (streams) => {
    if ((await streams.names().next()).includes(stream)) await streams.delete(stream);
  });
}

async function withStreams(servers: string, use: (streams: StreamAPI) => Promise<void>) {
  const connection = await connect({ servers });
  try {
    await use((await connection.jetstreamManager()).streams);
  } finally {
    await connection.close();
  }
}
