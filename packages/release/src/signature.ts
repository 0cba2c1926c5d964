import { createPrivateKey, createPublicKey, sign } from 'node:crypto';

export type Signature = {
  /** The signature of these bytes, as OpenSSL writes it. */
  bytes: Buffer;
  /** The public key, PEM. */
  publicKey: string;
};

/**
 * @param pem the private key: Ed25519, or EC or RSA with SHA-256
 * @throws Error if it is no private key
 */
export function signBytes(content: Buffer, pem: string): Signature {
  const key = createPrivateKey(pem);
  const digest = key.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'pem' }).toString();
  return { bytes: sign(digest, content, key), publicKey };
}
