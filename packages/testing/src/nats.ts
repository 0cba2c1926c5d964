import { randomInt } from 'node:crypto';
import type { ThrowawayServer } from '@payments/local-servers/backing-server';
import { throwawayNats, throwawaySource } from '@payments/local-servers/throwaway';
import { connect, type StreamAPI } from 'nats';
import { sharedServer } from './shared-server.ts';

export type TestNats = {
  url: string;
  /** A stream name that only this test uses, such as TEST_AB12CD. */
  stream: string;
  /** Removes the stream, if it exists. */
  stop(): Promise<void>;
};

const natsUrl = sharedServer('TEST_NATS_URL', startOwnNats);
let keptStream: Promise<void> | undefined;

/** @returns the NATS of this test run (`TEST_NATS_URL`), or one for this process, with a new stream name */
export async function testNats(): Promise<TestNats> {
  const url = await natsUrl();
  keptStream ??= keepOneStream(url);
  await keptStream;
  const stream = `TEST_${randomName(6)}`;
  return { url, stream, stop: () => removeStream(url, stream) };
}

/** Starts a NATS for a test that stops, kills and starts it. Call `remove` at the end. */
export async function startOwnNats(): Promise<ThrowawayServer> {
  return throwawayNats(await throwawaySource());
}

function randomName(length: number): string {
  const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
  return Array.from({ length }, () => characters[randomInt(characters.length)]).join('');
}

/**
 * Keeps one stream, since NATS removes the folder of all streams with the last one. A concurrent creation then fails
 * ("error creating store for stream"). Creating the same stream again changes nothing.
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
