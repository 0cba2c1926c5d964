import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type ApiContext, aside } from '../context.ts';
import { addressTurns } from '../http/bounds.ts';
import { securityHeaders } from '../http/headers.ts';
import { createServer, draining } from '../http/server.ts';
import { panel } from './panel.ts';

/** @returns a listener with the panel alone, which may be published while the administration API stays inside */
export async function buildPanelApp(context: ApiContext, log: Logger): Promise<FastifyInstance> {
  const { httpMetrics: metrics, trustProxy, keepAliveSeconds } = context;
  const app = await createServer({ log, metrics, listener: 'panel', trustProxy, keepAliveSeconds });
  await app.register(addressTurns);
  await app.register(draining, { isAccepting: context.isAccepting });
  await app.register(securityHeaders);
  await app.register(panel, { context: aside(context) });
  return app;
}
