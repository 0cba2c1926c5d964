import { createPixClient, type PixClientOptions } from '@payments/pix/client';
import type { Json } from '@payments/testing/http';
import type { InjectOptions } from 'fastify';
import { ALL_SCOPES } from '../src/access.ts';
import { buildSimulator, type SimulatorOptions } from '../src/app.ts';

export const TXID = '7978c0c97ea847e78e8849634473c1f1';
export const KEY = '7d9f0335-8dcc-4054-9bf9-0dbd61d36906';

export type Teardown = { teardown(run: () => unknown): void };

/** A charge of R$ 10.00 as a receiver asks for it. */
export const terms = { calendario: { expiracao: 3600 }, valor: { original: '10.00' }, chave: KEY };

export function txidOf(number: number): string {
  return String(number).padStart(32, '0');
}

/** A simulator listening on a free port, with shortcuts to both of its sides. */
export async function startBank(t: Teardown, options: SimulatorOptions = {}) {
  const app = buildSimulator(options);
  t.teardown(() => app.close());
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  let token: string | undefined;

  const asReceiver = async (method: InjectOptions['method'], path: string, payload?: unknown) => {
    token ??= app.bank.access.issue({ id: '', secret: '', scopes: ALL_SCOPES }, null)?.access_token;
    const answer = await app.inject({
      method,
      url: path,
      headers: { authorization: `Bearer ${token}` },
      ...(payload !== undefined && { payload: payload as object }),
    } as InjectOptions);
    return { status: answer.statusCode, type: answer.headers['content-type'], body: parsed(answer.body) };
  };
  const asAnyone = async (method: InjectOptions['method'], path: string, payload?: unknown) => {
    const answer = await app.inject({ method, url: path, payload: payload as object } as InjectOptions);
    return { status: answer.statusCode, type: answer.headers['content-type'], body: parsed(answer.body) };
  };

  return {
    app,
    url,
    asReceiver,
    asAnyone,
    /** A client of this bank. */
    client(more: Partial<PixClientOptions> = {}) {
      const client = createPixClient({ url, clientId: 'client', clientSecret: 'secret', key: KEY, ...more });
      t.teardown(() => client.close());
      return client;
    },
    /** Creates a charge and gives its code. */
    async charge(txid = TXID, more: object = {}): Promise<string> {
      const { body } = await asReceiver('PUT', `/cob/${txid}`, { ...terms, ...more });
      return body.pixCopiaECola;
    },
    pay: (pixCopiaECola: string, more: object = {}) =>
      asAnyone('POST', '/bank/pay', { pixCopiaECola, ...more }),
    faults: (faults: object) => asAnyone('POST', '/bank/faults', faults),
    advance: (advanceSeconds: number) => asAnyone('POST', '/bank/clock', { advanceSeconds }),
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
