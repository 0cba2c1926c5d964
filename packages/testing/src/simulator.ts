import type { AddressInfo } from 'node:net';
import { buildSimulator, type SimulatorOptions } from '@payments/pix-simulator/app';

export type TestSimulator = {
  /** The base address, for PIX_URL and for the bank's side (`/bank/pay`, `/bank/faults`). */
  url: string;
  app: ReturnType<typeof buildSimulator>;
  close(): Promise<void>;
};

/** The simulated bank, in this process, on a free port of 127.0.0.1. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<TestSimulator> {
  const app = buildSimulator(options);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, app, close: () => app.close() };
}
