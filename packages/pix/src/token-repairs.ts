import type { Urgency } from './pacer.ts';

/** Decides after a 401 whether another token may help, and keeps token requests within what banks allow. */
export interface TokenRepairs {
  /** A token is asked for. */
  tokenAsked(): void;
  /** The PSP carried this operation out, so our application may do it. */
  served(operation: string): void;
  /**
   * Call it for a 401 with the token in use. `replace` counts the replacement. `wait` is a dead token whose replacement
   * the minute's tokens do not allow yet. `refused` means that another token would not help.
   */
  after401(operation: { name: string; urgency: Urgency }): 'replace' | 'wait' | 'refused';
}

const minuteMs = 60_000;
/**
 * The tokens of a minute, after which an operation's 401 asks for no more of them. Inter gives five. Sales may use all:
 * where a bank keeps one token per client, a process that polls takes it fewer times than one that sells takes it back.
 */
const tokensPerMinute: Record<Urgency, number> = { creation: 5, money: 4, polling: 3 };
/** Some banks respond with 401 where an operation lacks a scope. Its tokens must not be those that sales need. */
const tokensForUnproven = 2;
/**
 * The replacements in a row after which an operation's 401 is no dead token: its fresh ones were refused, too. A creation
 * is allowed as many as another process's calls for money may make it need.
 */
const repairsInARow = { creation: tokensPerMinute.money, proven: 3, unproven: 1 };

/**
 * A 401 for an operation that was served before is a dead token, and each one is replaced. Several may die in a row:
 * another process's new token may end a fresh one before its first use. A 401 for an operation that was never served may
 * be a missing scope, which costs one token a minute.
 * @param now milliseconds
 */
export function createTokenRepairs(now: () => number): TokenRepairs {
  let askedAt: number[] = [];
  const everServed = new Set<string>();
  const unserved = new Map<string, { repairs: number; lastAt: number }>();
  const inLastMinute = (at: number) => now() - at < minuteMs;

  return {
    tokenAsked: () => {
      askedAt = [...askedAt.filter(inLastMinute), now()];
    },
    served: (operation) => {
      everServed.add(operation);
      unserved.delete(operation);
    },
    after401: ({ name, urgency }) => {
      const kind = urgency === 'creation' ? urgency : everServed.has(name) ? 'proven' : 'unproven';
      const { repairs, lastAt } = unserved.get(name) ?? { repairs: 0, lastAt: 0 };
      if (repairs >= repairsInARow[kind] && inLastMinute(lastAt)) return 'refused';
      const allowed = kind === 'unproven' ? tokensForUnproven : tokensPerMinute[urgency];
      if (askedAt.filter(inLastMinute).length >= allowed) return kind === 'unproven' ? 'refused' : 'wait';
      unserved.set(name, { repairs: repairs + 1, lastAt: now() });
      return 'replace';
    },
  };
}
