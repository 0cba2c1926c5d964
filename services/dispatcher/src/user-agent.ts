import { readFileSync } from 'node:fs';

// One folder up from src/ as from dist/, where each built program is one of a few files.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

/** What webhooks say of their sender: receivers let requests in by it, and find them in their logs. */
export const userAgent = `public-payments/${version}`;
