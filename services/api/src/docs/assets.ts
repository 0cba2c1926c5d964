import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { docsFolder } from '../shipped-files.ts';

export type Asset = { type: string; content: Buffer; gzipped: Buffer; version: string };

const types: Record<string, string> = {
  'docs.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
};

/** @returns the files that the pages load, with a version made from their content */
export function readAssets(): Record<string, Asset> {
  return Object.fromEntries(
    Object.entries(types).map(([name, type]) => {
      const content = readFileSync(new URL(`assets/${name}`, docsFolder));
      const version = createHash('sha256').update(content).digest('base64url').slice(0, 10);
      return [name, { type, content, gzipped: gzipSync(content), version }];
    }),
  );
}
