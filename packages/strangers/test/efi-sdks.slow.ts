import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { buildSimulator } from '@payments/pix-simulator/app';
import type { Json } from '@payments/testing/http';
import { startReceiver } from '@payments/testing/receiver';
import * as efi from 'sdk-node-apis-efi';
import t from 'tap';
import { makeCertificates } from '../../pix-simulator/test/certificates.ts';

/**
 * Efí's own SDKs, the current one and the one before, at the simulated Efí over mTLS. Nothing of them is changed but the
 * host that they call, and the authority that they trust. What the simulator does not have is Efí's alone: due charges,
 * Pix sent, splits, recurrence, accounts. `pixQrCodeDetail` calls the payer's side, which wants no client certificate at
 * a bank and does want one here, where both sides have one port.
 */
type Sdk = Record<string, (params: object, body?: object) => Promise<Json>>;
type Config = { url: string; httpsAgent: { options: { ca?: string } } };
type Axios = { interceptors: { request: { use(change: (config: Config) => Config): number } } };

const require = createRequire(import.meta.url);
const names = ['sdk-node-apis-efi', 'gn-api-sdk-node'] as const;
const key = 'pix@example.com';
const day = { inicio: '2020-01-01T00:00:00Z', fim: '2100-01-01T00:00:00Z' };
const terms = { calendario: { expiracao: 3600 }, valor: { original: '10.00' }, chave: key };
const txidOf = (number: number) => String(number).padStart(32, '0');

const certificates = await makeCertificates(t.testdir());
const { client, bankCaFile } = certificates;
const ca = readFileSync(bankCaFile, 'utf8');

for (const name of names) {
  t.test(name, async (t) => {
    const bank = buildSimulator({
      profile: 'efi',
      clientId: 'id',
      clientSecret: 'secret',
      key,
      tls: { ...certificates.bank, clientCaFile: certificates.clientCaFile },
    });
    t.teardown(() => bank.close());
    sendTo(name, await bank.listen({ port: 0, host: '127.0.0.1' }));
    const receiver = await startReceiver();
    t.teardown(receiver.close);
    const sdk = sdkOf(name);
    const is = async (method: string, answer: Promise<unknown>, expected: object) => {
      const body = await answer.catch((refusal: unknown) => ({ refusal }));
      t.match(body, expected, method);
      t.strictSame(departures(method, body), [], `${method} answers as the SDK has it`);
      return body as Json;
    };
    const call = (method: string, params: object, body: object | undefined, expected: object) =>
      is(method, sdk[method]!(params, body), expected);

    const refused = async (answer: Promise<unknown>, nome: string) =>
      t.match(await answer.catch((refusal: unknown) => refusal), { nome });

    const location = await call('pixCreateLocation', {}, { tipoCob: 'cob' }, { tipoCob: 'cob' });
    const loc = { id: location.id };
    const [txid, other] = [txidOf(1), txidOf(2)];
    const made = await call('pixCreateCharge', { txid }, { ...terms, loc }, { txid, loc, status: 'ATIVA' });
    await call('pixUpdateCharge', { txid }, { valor: { original: '12.00' } }, { revisao: 1 });
    await call('pixDetailCharge', { txid }, undefined, { txid, valor: { original: '12.00' } });
    await call('pixDetailCharge', { txid, revisao: 0 }, undefined, { valor: { original: '10.00' } });
    await call('pixCreateImmediateCharge', {}, terms, { status: 'ATIVA' });
    await call('pixListCharges', day, undefined, { cobs: { length: 2 } });
    await call('pixLocationList', day, undefined, { loc: { length: 2 } });
    await call('pixDetailLocation', loc, undefined, { ...loc, txid });
    await call('pixGenerateQRCode', loc, undefined, { qrcode: made.pixCopiaECola });
    await call(
      'pixConfigWebhook',
      { chave: key },
      { webhookUrl: receiver.url },
      { webhookUrl: receiver.url },
    );
    await call('pixDetailWebhook', { chave: key }, undefined, { webhookUrl: receiver.url, chave: key });
    await call('pixListWebhook', day, undefined, { webhooks: [{ chave: key }] });

    const paid = await bank.inject({
      method: 'POST',
      url: '/bank/pay',
      payload: { pixCopiaECola: made.pixCopiaECola },
    });
    const { endToEndId: e2eId } = paid.json();
    await call('pixDetailReceived', { e2eId }, undefined, { endToEndId: e2eId, valor: '12.00' });
    await call('pixReceivedList', day, undefined, { pix: [{ endToEndId: e2eId, txid }] });
    await bank.inject({ method: 'POST', url: '/bank/faults', payload: { slowRefundsMs: 60_000 } });
    await call('pixDevolution', { e2eId, id: 'r1' }, { valor: '2.00' }, { id: 'r1', valor: '2.00' });
    await bank.inject({ method: 'POST', url: '/bank/clock', payload: { advanceSeconds: 60 } });
    await call('pixDetailDevolution', { e2eId, id: 'r1' }, undefined, { status: 'DEVOLVIDO' });
    await call('pixDetailCharge', { txid }, undefined, { status: 'CONCLUIDA', pix: [{ endToEndId: e2eId }] });
    await call('pixUnlinkTxidLocation', loc, undefined, loc);
    const removed = await sdk.pixDeleteWebhook!({ chave: key });
    t.equal(removed, '', 'pixDeleteWebhook');

    await refused(sdk.pixDetailCharge!({ txid: other }), 'cobranca_nao_encontrada');
    await refused(sdk.pixDetailWebhook!({ chave: key }), 'webhook_nao_encontrado');
    await refused(sdk.pixCreateCharge!({ txid }, terms), 'txid_duplicado');
    const zero = { ...terms, valor: { original: '0.00' } };
    await refused(sdk.pixCreateCharge!({ txid: other }, zero), 'valor_invalido');
    t.strictSame(bank.bank.conformity.violations, [], 'each request is API Pix');
  });
}

/** Leads the SDK's calls to the simulated bank. */
function sendTo(name: string, url: string): void {
  const axios = createRequire(require.resolve(name))('axios') as Axios;
  axios.interceptors.request.use((config) => {
    config.url = config.url.replace(/^https:\/\/[^/]*(efipay|gerencianet)\.com\.br/, url);
    config.httpsAgent.options.ca = ca;
    return config;
  });
}

function sdkOf(name: string): Sdk {
  const module = require(name);
  const options = {
    sandbox: true,
    client_id: 'id',
    client_secret: 'secret',
    certificate: client.certFile,
    pemKey: client.keyFile,
    validateMtls: false,
  };
  return new (module.default ?? module)(options);
}

type Issue = { code: string; path: PropertyKey[]; message: string };
type Schema = { safeParse(value: unknown): { error?: { issues: Issue[] } } };

/** Where Efí's SDK contradicts its other sources, the simulator follows those. */
const contradicted: Record<string, RegExp> = {
  // Efí's documentation and the SDK's version 1.4 have text where a charge is read.
  pixDetailCharge: /^calendario\.expiracao .*received string/,
  pixListCharges: /^cobs\.\d+\.calendario\.expiracao .*received string/,
  // `loc` in the Central Bank's document (`PayloadLocationConsultadas`).
  pixLocationList: /^locs .*received undefined/,
};

/** @returns how an answer differs from the SDK's own schema; more fields than it names are no difference */
function departures(method: string, answer: unknown): string[] {
  const schemas = efi as unknown as Record<string, Schema | undefined>;
  // The one that is named another way than its method.
  const called = method.replace('pixReceivedList', 'pixListReceived');
  const schema = schemas[`P${called.slice(1)}ResponseSchema`];
  const issues = schema?.safeParse(answer).error?.issues ?? [];
  return issues
    .filter(({ code }) => code !== 'unrecognized_keys')
    .map(({ path, message }) => `${path.join('.')} ${message}`)
    .filter((departure) => !contradicted[method]?.test(departure));
}
