import underPressure from '@fastify/under-pressure';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';

const maxEventLoopDelayMs = 1_000;

/** Turns requests away with 503 while the process can't keep up, before all of them become slow. */
export const loadShedding = fastifyPlugin(
  async (app) => {
    await app.register(underPressure, {
      maxEventLoopDelay: maxEventLoopDelayMs,
      pressureHandler: () => {
        throw errors.unavailable();
      },
    });
  },
  { name: 'load-shedding' },
);
