import closeWithGrace from 'close-with-grace';
import { buildSimulator, type SimulatorOptions } from './app.ts';

const { env } = process;

const given = <K extends string>(name: K, value: string | undefined) =>
  (value ? { [name]: value } : {}) as { [name in K]?: string };

function tlsOptions(): Pick<SimulatorOptions, 'tls'> {
  const { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile, TLS_CLIENT_CA_FILE: clientCaFile } = env;
  if (!certFile || !keyFile) return {};
  return { tls: { certFile, keyFile, ...given('clientCaFile', clientCaFile) } };
}

const app = buildSimulator({
  ...given('dataFile', env.DATA_FILE),
  ...given('clientId', env.PIX_CLIENT_ID),
  ...given('clientSecret', env.PIX_CLIENT_SECRET),
  ...given('key', env.PIX_KEY),
  ...given('merchantName', env.MERCHANT_NAME),
  ...tlsOptions(),
  logger: { level: env.LOG_LEVEL || 'info', name: 'pix-simulator' },
});

closeWithGrace({ delay: 5000 }, async ({ err }) => {
  if (err) app.log.error({ err }, 'simulator stops');
  await app.close();
});

await app.listen({ port: Number(env.PORT || 3003), host: env.HOST || '127.0.0.1' });
