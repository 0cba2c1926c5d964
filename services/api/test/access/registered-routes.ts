import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify';

export type RegisteredRoute = { method: string; url: string; may?: FastifyContextConfig['may'] };

/**
 * Records the routes of listeners while they are built, so that a test of every route finds new ones.
 * @returns a function that ends the recording and returns the routes of each listener, in the order of building
 */
export function watchRoutes(): () => RegisteredRoute[][] {
  const listeners: RegisteredRoute[][] = [];
  const watch = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance };
    const routes: RegisteredRoute[] = [];
    listeners.push(routes);
    fastify.addHook('onRoute', ({ method, url, config }: RouteOptions) => {
      for (const one of [method].flat()) routes.push({ method: one, url, may: config?.may });
    });
  };
  subscribe('fastify.initialization', watch);
  return () => {
    unsubscribe('fastify.initialization', watch);
    return listeners;
  };
}

/** @returns the routes of the listener that has this route */
export function listenerWith(listeners: RegisteredRoute[][], url: string): RegisteredRoute[] {
  const found = listeners.find((routes) => routes.some((route) => route.url === url));
  if (!found) throw new Error(`no listener has ${url}`);
  return found;
}
