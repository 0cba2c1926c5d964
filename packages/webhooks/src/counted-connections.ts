import type { buildConnector } from 'undici';

/** A connector, and how many of its connections are open now, in use or idle. */
export function countedConnections(connector: buildConnector.connector) {
  let open = 0;
  const connect: buildConnector.connector = (target, callback) =>
    connector(target, (...connected) => {
      const [, socket] = connected;
      if (socket !== null) {
        open += 1;
        socket.once('close', () => {
          open -= 1;
        });
      }
      callback(...connected);
    });
  return { connect, open: () => open };
}
