import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildSimulator, type SimulatorOptions } from '@payments/pix-simulator/app';
import { call } from './http.ts';
import { bankOptions } from './service-settings.ts';

/** A system's simulated bank, in this process. */
export type Bank = {
  url: string;
  simulator: ReturnType<typeof buildSimulator>;
  /** @throws when a request was not as the API Pix document's schemas have it */
  close(): Promise<void>;
};

/** @param options how the bank is, beside its credentials */
export async function startBank(options: SimulatorOptions = {}): Promise<Bank> {
  const simulator = buildSimulator({ ...bankOptions, ...options });
  const url = await simulator.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    simulator,
    close: async () => {
      const { body } = await call(`${url}/bank/violations`);
      await simulator.close();
      if (body.violations.length > 0) throw new Error(`API Pix violated: ${JSON.stringify(body.violations)}`);
    },
  };
}

/**
 * Counts from now on.
 * @returns how many times the bank has been asked for a charge, or for a token without which it can't be
 */
export function countAsks(t: { teardown(end: () => void): void }, bankUrl: string): () => number {
  const bankPort = Number(new URL(bankUrl).port);
  let count = 0;
  const onRequest = (message: unknown) => {
    const { request, server } = message as { request: IncomingMessage; server: Server };
    const { port } = server.address() as AddressInfo;
    if (port === bankPort && /^(PUT .*\/cob\/|POST .*\/token$)/.test(`${request.method} ${request.url}`))
      count += 1;
  };
  subscribe('http.server.request.start', onRequest);
  t.teardown(() => unsubscribe('http.server.request.start', onRequest));
  return () => count;
}
