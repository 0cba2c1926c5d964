import { parseArgs } from 'node:util';

export type ReleaseOptions = {
  version: string;
  /** PEM file of the private key that signs. */
  key: string | undefined;
  platforms: string[];
  /** The base image, by digest; by default what its tag means now. */
  base: string | undefined;
  images: boolean;
  buildOptions: string[];
};

/** @throws Error that says what is wrong */
export function readOptions(args: string[]): ReleaseOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      platforms: { type: 'string', default: 'linux/amd64,linux/arm64' },
      base: { type: 'string' },
      'no-images': { type: 'boolean', default: false },
      'build-option': { type: 'string', multiple: true, default: [] },
    },
  });
  const [version = '', ...others] = positionals;
  if (others.length > 0 || !/^\d+\.\d+\.\d+$/.test(version))
    throw new Error('name one version, such as 0.2.0: npm run release -- 0.2.0');
  const { key, base, platforms } = values;
  if (base !== undefined && !/@sha256:[0-9a-f]{64}$/.test(base))
    throw new Error('--base names no digest: image@sha256:…');
  return {
    version,
    key,
    base,
    platforms: platforms.split(','),
    images: !values['no-images'],
    buildOptions: values['build-option'],
  };
}
