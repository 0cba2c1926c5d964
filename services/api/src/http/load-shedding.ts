import underPressure from '@fastify/under-pressure';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';

const maxEventLoopDelayMs = 1_000;
const sampleMs = 1_000;

/** Refuses requests with 503 while the process can't keep up, before all of them become slow. */
export const loadShedding = fastifyPlugin(
  async (app) => {
    const isLasting = lastingPressure(() => performance.now());
    await app.register(underPressure, {
      maxEventLoopDelay: maxEventLoopDelayMs,
      sampleInterval: sampleMs,
      pressureHandler: () => {
        if (isLasting()) throw errors.unavailable();
      },
    });
  },
  { name: 'load-shedding' },
);

/**
 * Sheds only under pressure that outlives one sample. A single long pause, as at a start, is over when measured.
 * @param now milliseconds of a monotonic clock
 * @returns a function that decides, for each request under pressure, whether to refuse it
 */
export function lastingPressure(now: () => number): () => boolean {
  let since = Number.NEGATIVE_INFINITY;
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    const time = now();
    if (time - latest > 3 * sampleMs) since = time;
    latest = time;
    return time - since > 1.5 * sampleMs;
  };
}
