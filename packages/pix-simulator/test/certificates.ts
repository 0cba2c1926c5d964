import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';

type Authority = { cert: string; key: string };
type Pair = { certFile: string; keyFile: string };

/** Certificate authorities and certificates made on the spot, as PEM files in a folder. */
export async function makeCertificates(folder: string) {
  const bankAuthority = await makeAuthority('Bank CA');
  const clientAuthority = await makeAuthority('Client CA');
  const write = (name: string, pem: string) => {
    const file = join(folder, name);
    writeFileSync(file, pem);
    return file;
  };
  const issue = async (name: string, authority: Authority): Promise<Pair> => {
    const pems = await generate([{ name: 'commonName', value: name }], {
      ...EC,
      ca: authority,
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
        { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
      ],
    });
    return { certFile: write(`${name}.crt`, pems.cert), keyFile: write(`${name}.key`, pems.private) };
  };
  return {
    bankCaFile: write('bank-ca.crt', bankAuthority.cert),
    clientCaFile: write('client-ca.crt', clientAuthority.cert),
    bank: await issue('bank', bankAuthority),
    client: await issue('client', clientAuthority),
    /** Another certificate of the same client, as after a renewal. */
    renewed: await issue('renewed', clientAuthority),
    /** A certificate of an authority that the bank does not know. */
    stranger: await issue('stranger', await makeAuthority('Stranger CA')),
  };
}

/** Puts one pair where another one was: the certificate first, so for a moment they do not fit. */
export function replace(pair: Pair, by: Pair, halfway: () => void = () => {}): void {
  copyFileSync(by.certFile, pair.certFile);
  halfway();
  copyFileSync(by.keyFile, pair.keyFile);
}

const EC = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;

async function makeAuthority(name: string): Promise<Authority> {
  const pems = await generate([{ name: 'commonName', value: name }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}
