import type { PostgresPoolClient } from 'kysely';
import { DatabaseUnavailable } from './errors.ts';

type Take = () => Promise<PostgresPoolClient>;

/**
 * Lets `most` connections be taken at a time, and others after them in order. A turn ends with the connection's release.
 * Without it, whoever holds every connection of a pool stops all other work of its process.
 * @returns a function that takes a connection in its turn. It rejects with DatabaseUnavailable after `patienceMs`
 */
export function inTurns({ most, patienceMs }: { most: number; patienceMs: number }) {
  const waiting: (() => void)[] = [];
  let taken = 0;

  const free = () => {
    taken -= 1;
    waiting.shift()?.();
  };
  const turn = () =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(late);
        taken += 1;
        resolve();
      };
      const late = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(new DatabaseUnavailable(`no connection was free for ${patienceMs} ms`));
      }, patienceMs);
      if (taken < most) begin();
      else waiting.push(begin);
    });

  return async (take: Take): Promise<PostgresPoolClient> => {
    await turn();
    try {
      return releasing(await take(), free);
    } catch (error) {
      free();
      throw error;
    }
  };
}

/**
 * The pool gives a connection a new `release` each time. One whose rollback failed is released to be destroyed: another
 * would go on in its transaction.
 */
function releasing(client: PostgresPoolClient, onRelease: () => void): PostgresPoolClient {
  const { release } = client;
  client.release = (...destroy) => {
    onRelease();
    release.apply(client, destroy);
  };
  return client;
}
