import type { Database } from '@payments/database/connection';
import { recordTokenUses } from '@payments/database/stores/tokens';
import { startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';

export type TokenUses = {
  /** Notes the use of a token in memory. */
  note(tokenId: string, at: Date): void;
  /** Records the remaining uses. */
  stop(): Promise<void>;
};

/** Collects the times of tokens' last uses and records them periodically, in one statement for all tokens. */
export function startTokenUses(db: Database, log: Logger, intervalMs = 10_000): TokenUses {
  let uses = new Map<string, Date>();
  const record = async (): Promise<false> => {
    if (uses.size === 0) return false;
    const noted = uses;
    uses = new Map();
    try {
      await recordTokenUses(db, noted);
    } catch (error) {
      // Uses noted since then are later and win.
      uses = new Map([...noted, ...uses]);
      throw error;
    }
    return false;
  };
  const onError = (error: unknown) => log.warn({ err: error }, 'uses of tokens are recorded later');
  const loop = startLoop({ intervalMs, turn: record, onError });
  return {
    note: (tokenId, at) => {
      uses.set(tokenId, at);
    },
    stop: async () => {
      await loop.stop();
      await record().catch(onError);
    },
  };
}
