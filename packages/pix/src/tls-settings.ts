import { ConfigurationError } from '@payments/runtime/environment';
import { readMaterial, type TlsFile, type UnusableFile } from './tls-files.ts';
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
  const files = {
    ...(certFile ? { certFile } : {}),
    ...(keyFile ? { keyFile } : {}),
    ...(caFile ? { caFile } : {}),
    ...(p12File ? { p12File } : {}),
    ...(p12File && p12Password ? { p12Password } : {}),
  };
  try {
    readMaterial(files);
  } catch (error) {
    throw new ConfigurationError(inWords(error as UnusableFile));
  }
  return files;
}

const variables: Record<TlsFile, keyof TlsSettings> = {
  certFile: 'PIX_CERT_FILE',
  keyFile: 'PIX_KEY_FILE',
  caFile: 'PIX_CA_FILE',
  p12File: 'PIX_P12_FILE',
};

// Banks still hand out files whose encryption OpenSSL 3 no longer reads.
const hints: [RegExp, string][] = [
  [/mac verify/i, 'PIX_P12_PASSWORD is not its password'],
  [/unsupported/i, 'its encryption is too old: convert it with `openssl pkcs12 -legacy` to PEM files'],
];

/** @returns a line that names the setting */
export function inWords({ file, message }: UnusableFile): string {
  const hint = file === 'p12File' && hints.find(([pattern]) => pattern.test(message))?.[1];
  return `${variables[file]} can't be used: ${hint || message}`;
}
