import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigurationError } from '@payments/runtime/environment';
import { readMaterial } from './tls-files.ts';
import type { TlsFiles } from './types.ts';

/** The settings of mTLS with the bank. */
export type TlsSettings = {
  PIX_CERT_FILE?: string;
  PIX_KEY_FILE?: string;
  PIX_P12_FILE?: string;
  PIX_P12_PASSWORD?: string;
  PIX_CA_FILE?: string;
};

/**
 * Looks at the files of mTLS before anything needs them.
 * @returns the settings that are given, as options of the API Pix client
 * @throws ConfigurationError that names the variable, for a file that can't be read or used
 */
export function tlsFiles({
  PIX_CERT_FILE: certFile,
  PIX_KEY_FILE: keyFile,
  PIX_P12_FILE: p12File,
  PIX_P12_PASSWORD: p12Password,
  PIX_CA_FILE: caFile,
}: TlsSettings): TlsFiles {
  if (certFile && !keyFile) throw new ConfigurationError('PIX_KEY_FILE is required with PIX_CERT_FILE');
  if (keyFile && !certFile) throw new ConfigurationError('PIX_CERT_FILE is required with PIX_KEY_FILE');
  if (certFile && p12File) throw new ConfigurationError('PIX_P12_FILE takes the place of PIX_CERT_FILE');
  const cert = readPem('PIX_CERT_FILE', 'cert', certFile);
  const key = readPem('PIX_KEY_FILE', 'key', keyFile);
  readPem('PIX_CA_FILE', 'ca', caFile);
  check('PIX_KEY_FILE', () => createSecureContext({ ...cert, ...key }));
  const p12 = { ...(p12File ? { p12File } : {}), ...(p12File && p12Password ? { p12Password } : {}) };
  checkP12(p12);
  return {
    ...(certFile ? { certFile } : {}),
    ...(keyFile ? { keyFile } : {}),
    ...(caFile ? { caFile } : {}),
    ...p12,
  };
}

/** Banks still hand out files whose encryption OpenSSL 3 no longer reads. */
function checkP12(p12: TlsFiles): void {
  try {
    if (p12.p12File) readMaterial(p12);
  } catch (error) {
    const { message } = error as Error;
    const hints: [RegExp, string][] = [
      [/mac verify/i, 'PIX_P12_PASSWORD is not its password'],
      [/unsupported/i, 'its encryption is too old: convert it with `openssl pkcs12 -legacy` to PEM files'],
    ];
    const hint = hints.find(([pattern]) => pattern.test(message))?.[1] ?? message;
    throw new ConfigurationError(`PIX_P12_FILE can't be used: ${hint}`);
  }
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
