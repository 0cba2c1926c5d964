import type { Defect } from './defect.ts';

/** A process caches tokens for a few seconds: a rotation takes effect late, and not everywhere. */
export const tokenCached: Defect = {
  name: 'token cached',
  edits: [
    {
      file: 'services/api/src/public/store-authentication.ts',
      find: 'const find = (isKnown: boolean) => look(isKnown ? db : strangersDb, request, hash);',
      replace: `const find = () => remembered(token, () => look(db, request, hash));`,
    },
    {
      file: 'services/api/src/public/store-authentication.ts',
      find: 'type Limiter =',
      replace: `const cache = new Map<string, { until: number; found: Found | undefined }>();

async function remembered(token: string, read: () => Promise<Found | undefined>): Promise<Found | undefined> {
  const known = cache.get(token);
  const found = await read();
  if (known?.found && found && known.until > Date.now()) return { ...found, token: known.found.token };
  cache.set(token, { until: Date.now() + 5_000, found });
  return found;
}

type Limiter =`,
    },
  ],
  faults: [],
  seconds: 20,
  rate: 15,
  breaks: [{ promise: 5, says: /superseded token .* answered 200/ }],
};
