import { readFileSync } from 'node:fs';

// One folder up from src/ and from dist/ alike: a built program lies directly in dist/.
const manifest = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest) as { version: string };

/** The `User-Agent` of webhooks: receivers filter and log by it. */
export const userAgent = `public-payments/${version}`;
