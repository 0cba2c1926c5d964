import underPressure from '@fastify/under-pressure';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';

const maxEventLoopDelayMs = 1_000;
const sampleMs = 1_000;

/** Turns requests away with 503 while the process can't keep up, before all of them become slow. */
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
 * One long pause, such as a start on a busy machine, is over when it is measured, and sheds nothing; pressure that
 * outlives the sample does.
 * @param now milliseconds of a clock that never goes back
 * @returns asked at each request that meets pressure: whether to turn it away
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
