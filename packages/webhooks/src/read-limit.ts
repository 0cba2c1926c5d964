import type { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { SendFailure } from './send-failure.ts';

/**
 * A connector whose connections are cut once a response takes about `maxBytes`, whatever they are. A status line, blank
 * lines, blanks before a header's value, and the size and extensions of a chunk may go on for ever, and no other limit
 * counts them.
 */
export function readingAtMost(
  maxBytes: number,
  connector: buildConnector.connector,
): buildConnector.connector {
  return (target, callback) =>
    connector(target, (...connected) => {
      const [, socket] = connected;
      if (socket !== null) cutAfter(maxBytes, socket);
      callback(...connected);
    });
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
