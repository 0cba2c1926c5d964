import { buildSimulator } from '@payments/pix-simulator/app';
import { call } from './http.ts';
import { bankOptions } from './service-settings.ts';

/** A system's simulated bank, in this process. */
export type Bank = {
  url: string;
  /** @throws an error if a request violated the API Pix document's schemas */
  close(): Promise<void>;
};

export async function startBank(): Promise<Bank> {
  const simulator = buildSimulator(bankOptions);
  const url = await simulator.listen({ port: 0, host: '127.0.0.1' });
  return {
    url,
    close: async () => {
      const { body } = await call(`${url}/bank/violations`);
      await simulator.close();
      if (body.violations.length > 0) throw new Error(`API Pix violated: ${JSON.stringify(body.violations)}`);
    },
  };
}
