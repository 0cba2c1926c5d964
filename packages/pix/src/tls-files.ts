import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { TlsFiles } from './types.ts';

/** PEM texts, or a PKCS #12 file, as node:tls takes them. */
export type TlsMaterial = { cert?: string; key?: string; ca?: string; pfx?: Buffer; passphrase?: string };

const CHECK_EVERY_MS = 1000;

/**
 * Certificate, key and CA from files. `changed()` answers new material once when the files differ from what
 * was last given, looking at most once a second. Half-written files (a certificate that does not fit its key)
 * are left alone until they fit. Throws at once when the files can't be used at the start.
 */
export function openTlsFiles(files: TlsFiles, now: () => number) {
  let current = readMaterial(files);
  let checkedAt = now();
  return {
    current: () => current,
    changed(): TlsMaterial | null {
      if (now() - checkedAt < CHECK_EVERY_MS) return null;
      checkedAt = now();
      const latest = tryReading(files);
      if (!latest || JSON.stringify(latest) === JSON.stringify(current)) return null;
      current = latest;
      return latest;
    },
  };
}

/**
 * Reading anew is cheap (a few kilobytes a second) and, unlike watching, sees Kubernetes' symlink swaps. Throws when the
 * files can't be read or don't fit together.
 */
export function readMaterial(files: TlsFiles): TlsMaterial {
  const material = {
    ...(files.certFile && { cert: readFileSync(files.certFile, 'utf8') }),
    ...(files.keyFile && { key: readFileSync(files.keyFile, 'utf8') }),
    ...(files.caFile && { ca: readFileSync(files.caFile, 'utf8') }),
    ...(files.p12File && { pfx: readFileSync(files.p12File), passphrase: files.p12Password ?? '' }),
  };
  createSecureContext(material);
  return material;
}

function tryReading(files: TlsFiles): TlsMaterial | null {
  try {
    return readMaterial(files);
  } catch {
    return null;
  }
}
