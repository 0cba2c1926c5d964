import { performance } from 'node:perf_hooks';
import type { HttpAnswer } from '@payments/testing/http';

/** One creation: when it began, how long it took, and what the store got. */
export type Creation = { at: number; ms: number; status: number; id: string; code: string | null };

export type Load = {
  creations: Creation[];
  /** Resolves when so many more creations have ended. */
  more(count: number): Promise<void>;
  stop(): Promise<void>;
};

/** Creates payments at a steady rate, however long each takes. */
export function startLoad(create: () => Promise<HttpAnswer>, perSecond: number): Load {
  const creations: Creation[] = [];
  const running = new Set<Promise<void>>();
  let ended = () => {};
  const one = async () => {
    const at = performance.now();
    const { status, body } = await create();
    const ms = performance.now() - at;
    creations.push({ at, ms, status, id: body.id, code: body.qrCopyPaste });
    ended();
  };
  const timer = setInterval(() => {
    const creation = one().finally(() => running.delete(creation));
    running.add(creation);
  }, 1_000 / perSecond);
  return {
    creations,
    more: (count) =>
      new Promise((resolve) => {
        const wanted = creations.length + count;
        ended = () => void (creations.length >= wanted && resolve());
      }),
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}
