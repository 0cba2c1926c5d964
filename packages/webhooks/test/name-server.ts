import { createSocket, type RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import type { Test } from 'tap';

/** The response for a name: addresses, an error, or nothing. */
export type Reply = { ipv4?: string[]; ipv6?: string[] } | 'unknown' | 'broken' | 'silent';

export interface NameServer {
  /** Its `address:port`. */
  address: string;
  /** Every queried name, once per query. */
  queries: string[];
}

const A = 1;
const AAAA = 28;
const RESPONSE = 0x8180;
const ERRORS = { broken: 2, unknown: 3 };

/** A real DNS server on loopback (RFC 1035, UDP, A and AAAA only); closed when the test ends. */
export async function startNameServer(
  t: Test,
  reply: (name: string, type: 'A' | 'AAAA') => Reply | Promise<Reply>,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const queries: string[] = [];
  socket.on('message', async (query: Buffer, from: RemoteInfo) => {
    const { name, end } = readName(query, 12);
    const type = query.readUInt16BE(end);
    queries.push(name);
    const answer = await reply(name, type === A ? 'A' : 'AAAA');
    if (answer === 'silent') return;
    socket.send(message(query, end + 4, type, answer), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  t.teardown(() => socket.close());
  return { address: `127.0.0.1:${socket.address().port}`, queries };
}

function message(query: Buffer, questionEnd: number, type: number, reply: Exclude<Reply, 'silent'>): Buffer {
  const failed = typeof reply === 'string';
  const addresses = failed ? [] : ((type === A ? reply.ipv4 : type === AAAA ? reply.ipv6 : []) ?? []);
  const header = Buffer.alloc(12);
  header.writeUInt16BE(query.readUInt16BE(0), 0);
  header.writeUInt16BE(RESPONSE | (failed ? ERRORS[reply] : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(addresses.length, 6);
  return Buffer.concat([
    header,
    query.subarray(12, questionEnd),
    ...addresses.map((ip) => record(type, bytesOf(ip))),
  ]);
}

/** A record for the name in the question, with a time to live of 0. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, data.length]);
  return Buffer.concat([head, data]);
}

function bytesOf(ip: string): Buffer {
  if (!ip.includes(':')) return Buffer.from(ip.split('.').map(Number));
  const [head = '', tail = ''] = ip.split('::').map((part) =>
    part
      .split(':')
      .filter(Boolean)
      .map((group) => group.padStart(4, '0'))
      .join(''),
  );
  return Buffer.from(head.padEnd(32 - tail.length, '0') + tail, 'hex');
}

function readName(query: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = query[at]!; length > 0; length = query[at]!) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}
