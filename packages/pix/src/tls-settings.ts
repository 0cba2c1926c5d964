import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '@payments/runtime/environment';

/** The settings of mTLS with the PSP. */
export type TlsSettings = { PIX_CERT_FILE?: string; PIX_KEY_FILE?: string; PIX_CA_FILE?: string };

/**
 * Looks at the files of mTLS before anything needs them.
 * @returns the settings that are given, as options of the API Pix client
 * @throws ConfigurationError that names the variable, for a file that can't be read or used
 */
export function tlsFiles({
  PIX_CERT_FILE: certFile,
  PIX_KEY_FILE: keyFile,
  PIX_CA_FILE: caFile,
}: TlsSettings) {
  if (certFile && !keyFile) throw new ConfigurationError('PIX_KEY_FILE is required with PIX_CERT_FILE');
  if (keyFile && !certFile) throw new ConfigurationError('PIX_CERT_FILE is required with PIX_KEY_FILE');
  const cert = readPem('PIX_CERT_FILE', 'cert', certFile);
  const key = readPem('PIX_KEY_FILE', 'key', keyFile);
  readPem('PIX_CA_FILE', 'ca', caFile);
  check('PIX_KEY_FILE', () => createSecureContext({ ...cert, ...key }));
  return {
    ...(certFile ? { certFile } : {}),
    ...(keyFile ? { keyFile } : {}),
    ...(caFile ? { caFile } : {}),
  };
}

function readPem(variable: keyof TlsSettings, kind: 'cert' | 'key' | 'ca', file: string | undefined) {
  if (!file) return {};
  return check(variable, () => {
    const pem = { [kind]: readFileSync(file, 'utf8') };
    createSecureContext(pem);
    // Of an authority the context takes anything.
    if (kind === 'ca') new X509Certificate(pem[kind] ?? '');
    return pem;
  });
}

function check<T>(variable: keyof TlsSettings, use: () => T): T {
  try {
    return use();
  } catch (error) {
    throw new ConfigurationError(`${variable} can't be used: ${(error as Error).message}`);
  }
}
