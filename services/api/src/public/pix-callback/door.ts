import type { Server as TlsServer } from 'node:tls';
import { openTlsFiles, type TlsMaterial, type UnusableFile } from '@payments/pix/tls-files';
import { ConfigurationError } from '@payments/runtime/environment';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { CallbackContext, ListenerContext } from '../../context.ts';
import { createServer } from '../../http/server.ts';
import type { ApiSettings } from '../../settings.ts';
import { pixCallback } from './api.ts';

/** The callback's own listener: certificate, its key, and the authorities of the banks' certificates, PEM files. */
export type Door = { port: number; tls: { certFile: string; keyFile: string; caFile: string } | null };

/**
 * @returns the listener that is asked for; undefined where the bank's callback comes to the public one
 * @throws ConfigurationError where files are missing
 */
export function doorOf(settings: ApiSettings): Door | undefined {
  const {
    PIX_CALLBACK_PORT: port,
    PIX_CALLBACK_CERT_FILE: certFile,
    PIX_CALLBACK_KEY_FILE: keyFile,
    PIX_CALLBACK_CA_FILE: caFile,
  } = settings;
  const files = {
    PIX_CALLBACK_CERT_FILE: certFile,
    PIX_CALLBACK_KEY_FILE: keyFile,
    PIX_CALLBACK_CA_FILE: caFile,
  };
  const given = Object.values(files).some(Boolean);
  const missing = Object.entries(files).find(([, file]) => !file)?.[0];
  if (given && missing)
    throw new ConfigurationError(`${missing} is required with the callback's other files`);
  if (given && port === undefined)
    throw new ConfigurationError('PIX_CALLBACK_PORT is required with its files');
  if (port === undefined) return undefined;
  return { port, tls: certFile && keyFile && caFile ? { certFile, keyFile, caFile } : null };
}

/**
 * @returns a listener for the callback alone. With files, who has no certificate of the banks' authorities does not get
 *   in, and stores need none; without, TLS and the banks' certificates are an ingress's business
 * @throws ConfigurationError for files that can't be used
 */
export async function buildDoor(
  { tls }: Door,
  context: CallbackContext & ListenerContext,
  log: Logger,
): Promise<FastifyInstance> {
  const { httpMetrics: metrics, trustProxy, keepAliveSeconds } = context;
  const files = tls && openFiles(tls, log);
  const https = files && { ...files.current(), requestCert: true, rejectUnauthorized: true };
  const options = { log, metrics, listener: 'callback' as const, trustProxy, keepAliveSeconds };
  const app = await createServer({ ...options, ...(https && { https }) });
  await app.register(pixCallback, { context });
  if (files) followFiles(app.server as unknown as TlsServer, files, log);
  return app;
}

function openFiles(tls: NonNullable<Door['tls']>, log: Logger) {
  try {
    return openTlsFiles(tls, Date.now, (error) => log.error(`${inWords(error)}; the old one stays in use`));
  } catch (error) {
    throw new ConfigurationError(inWords(error as UnusableFile));
  }
}

const variables: Record<string, keyof ApiSettings> = {
  certFile: 'PIX_CALLBACK_CERT_FILE',
  keyFile: 'PIX_CALLBACK_KEY_FILE',
  caFile: 'PIX_CALLBACK_CA_FILE',
};

function inWords({ file, message }: UnusableFile): string {
  return `${variables[file]} can't be used: ${message}`;
}

/** Each new connection gets the files as they are now. */
function followFiles(server: TlsServer, files: { changed(): TlsMaterial | null }, log: Logger): void {
  // Before Node's own listener, which begins the handshake.
  server.prependListener('connection', () => {
    const material = files.changed();
    if (!material) return;
    server.setSecureContext(material);
    log.info('the callback has new certificate files');
  });
}
