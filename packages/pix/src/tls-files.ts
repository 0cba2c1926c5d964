import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from './types.ts';

/** PEM texts, or a PKCS #12 file, as node:tls expects them. */
export type TlsMaterial = { cert?: string; key?: string; ca?: string; pfx?: Buffer; passphrase?: string };

export type TlsFile = Exclude<keyof TlsFiles, 'p12Password'>;

/** Node's error, with the file that can't be read or used, or does not fit the others. */
export type UnusableFile = Error & { file: TlsFile };

const CHECK_EVERY_MS = 1000;

/**
 * Certificate, key and CA from files. `changed()` reads them at most once a second, and returns each change once. If a
 * new file can't be used, the old ones stay in use.
 * @param onUnusable called for new files that can't be used, once for each reason
 * @throws UnusableFile at the start
 */
export function openTlsFiles(
  files: TlsFiles,
  now: () => number,
  onUnusable: (error: UnusableFile) => void = () => {},
) {
  let current = readMaterial(files);
  let checkedAt = now();
  let reported = '';
  const tell = (error: UnusableFile) => {
    if (error.message !== reported) onUnusable(error);
    reported = error.message;
  };
  return {
    current: () => current,
    changed(): TlsMaterial | null {
      if (now() - checkedAt < CHECK_EVERY_MS) return null;
      checkedAt = now();
      const latest = tryReading(files, tell);
      if (!latest) return null;
      reported = '';
      if (JSON.stringify(latest) === JSON.stringify(current)) return null;
      current = latest;
      return latest;
    },
  };
}

/**
 * Reads the files. That is cheap and, unlike watching, sees Kubernetes' symlink swaps.
 * @throws UnusableFile
 */
export function readMaterial(files: TlsFiles): TlsMaterial {
  const cert = using(files, 'certFile', (file) => ({ cert: certificateIn(file) }));
  const key = using(files, 'keyFile', (file) => {
    const pair = { ...cert, key: readFileSync(file, 'utf8') };
    // A context accepts an empty text, as if no key was given.
    createPrivateKey(pair.key);
    createSecureContext(pair);
    return pair;
  });
  const ca = using(files, 'caFile', (file) => ({ ca: certificateIn(file) }));
  const p12 = using(files, 'p12File', (file) => {
    const both = { pfx: readFileSync(file), passphrase: files.p12Password ?? '' };
    createSecureContext(both);
    return both;
  });
  return { ...cert, ...key, ...ca, ...p12 };
}

/** @returns when our own certificate ends; null without one, or for a file whose certificate Node does not show */
export function certificateEnd({ cert, pfx, passphrase }: TlsMaterial): Date | null {
  if (cert !== undefined) return endIn(cert);
  if (pfx === undefined) return null;
  // Node opens a PKCS #12 file for a context alone, and documents no way to read it.
  const { context } = createSecureContext({ pfx, ...(passphrase !== undefined && { passphrase }) }) as {
    context: { getCertificate?: () => Buffer | undefined };
  };
  const der = context.getCertificate?.();
  return der ? endIn(der) : null;
}

const endIn = (certificate: string | Buffer) => new Date(new X509Certificate(certificate).validTo);

/** A context accepts any text as an authority, and an empty one as no certificate. */
function certificateIn(file: string): string {
  const pem = readFileSync(file, 'utf8');
  new X509Certificate(pem);
  createSecureContext({ ca: pem });
  return pem;
}

function using<T>(files: TlsFiles, name: TlsFile, use: (file: string) => T): T | undefined {
  const file = files[name];
  if (!file) return undefined;
  try {
    return use(file);
  } catch (error) {
    throw Object.assign(error as Error, { file: name });
  }
}

function tryReading(files: TlsFiles, onUnusable: (error: UnusableFile) => void): TlsMaterial | null {
  try {
    return readMaterial(files);
  } catch (error) {
    onUnusable(error as UnusableFile);
    return null;
  }
}
