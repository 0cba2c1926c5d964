import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { SendFailure } from './send-failure.ts';

/**
 * Cuts a connection whose response goes on for ever. The limits of headers and bodies do not see everything that a receiver
 * may send without an end: a status line, blank lines, blanks before a header's value, a chunk's size and extensions. So
 * this limit counts every byte.
 * @param maxBytes the most that one response may take, roughly
 * @returns the connector with that limit, and how many of its connections are open now, in use or idle
 */
export function limitedConnections(maxBytes: number, connector: buildConnector.connector) {
  let open = 0;
  const watch = (socket: Socket) => {
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
    cutAfter(maxBytes, socket);
  };
  const connect: buildConnector.connector = (target, callback) =>
    connector(target, (...connected) => {
      const [, socket] = connected;
      if (socket !== null) watch(socket);
      callback(...connected);
    });
  return { connect, open: () => open };
}

function cutAfter(maxBytes: number, socket: Socket): void {
  let requested = 0;
  let readBefore = 0;
  socket.on('readable', () => {
    if (socket.bytesWritten !== requested) {
      requested = socket.bytesWritten;
      readBefore = socket.bytesRead;
    }
    if (socket.bytesRead - readBefore <= maxBytes) return;
    socket.destroy(new SendFailure('response', 'response_too_long'));
  });
}
