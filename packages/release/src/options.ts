import { parseArgs } from 'node:util';

export type ReleaseOptions =
  /** Makes the version's commit and tag. */
  | { version: string }
  /** Writes the licences of what the images contain to this file. */
  | { licences: string };

/** @throws Error that says what is wrong */
export function readOptions(args: string[]): ReleaseOptions {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { licences: { type: 'string' } },
  });
  if (values.licences !== undefined) return { licences: values.licences };
  const [version = '', ...others] = positionals;
  if (others.length > 0 || !/^\d+\.\d+\.\d+$/.test(version))
    throw new Error('name one version, such as 0.2.0: npm run release -- 0.2.0');
  return { version };
}
