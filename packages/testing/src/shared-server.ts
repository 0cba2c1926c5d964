import type { ThrowawayServer } from '@payments/local-servers/backing-server';

/**
 * One server for all tests of a run, by a URL that `npm test` puts into the environment. A test file that runs alone
 * starts its own at first use, which ends with the process.
 */
export function sharedServer(variable: string, start: () => Promise<ThrowawayServer>): () => Promise<string> {
  let own: Promise<ThrowawayServer> | undefined;
  return async () => {
    const given = process.env[variable];
    if (given) return given;
    own ??= start().then((server) => {
      process.once('beforeExit', () => void server.remove());
      return server;
    });
    return (await own).url;
  };
}
