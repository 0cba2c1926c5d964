import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { closeOnSignals, main } from '@payments/runtime/main';
import { buildSimulator } from './app.ts';
import type { BankName } from './banks/all.ts';
import { simulatorSettings } from './settings.ts';

const GRACE_MS = 5000;

main('pix-simulator', async () => {
  const env = readEnvironment(simulatorSettings, process.env);
  const logger = createLogger('pix-simulator', env.LOG_LEVEL);
  const app = buildSimulator({
    logger,
    profile: env.PROFILE as BankName,
    merchantName: env.MERCHANT_NAME,
    isTestBank: env.TEST_BANK === 'true',
    ...(env.DATA_FILE && { dataFile: env.DATA_FILE, dataDays: env.DATA_DAYS }),
    ...(env.PIX_CLIENT_ID && { clientId: env.PIX_CLIENT_ID }),
    ...(env.PIX_CLIENT_SECRET && { clientSecret: env.PIX_CLIENT_SECRET }),
    ...(env.PIX_KEY && { key: env.PIX_KEY }),
    ...tlsOf(env.TLS_CERT_FILE, env.TLS_KEY_FILE, env.TLS_CLIENT_CA_FILE),
  });
  closeOnSignals(logger, GRACE_MS, () => app.close());
  await app.listen({ port: env.PORT, host: env.HOST });
});

function tlsOf(certFile?: string, keyFile?: string, clientCaFile?: string) {
  if (!certFile || !keyFile) return {};
  return { tls: { certFile, keyFile, ...(clientCaFile && { clientCaFile }) } };
}
