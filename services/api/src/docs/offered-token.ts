import { readFile } from 'node:fs/promises';

/**
 * Reads the token that the docs page offers. `npm start` keeps it in a file with its demonstration store.
 * Each request reads the file, since the token can appear or change while the service runs.
 * @param file undefined offers no token, the default
 */
export async function offeredToken(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const { token } = JSON.parse(await readFile(file, 'utf8')) as { token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}
