import { readFile } from 'node:fs/promises';

/**
 * Reads the token that the docs page offers, from the file that `npm start` keeps its demonstration store in. Read at
 * each request: the store may be made after the service has started, and its token may be replaced.
 * @param file undefined where none is offered, which is the default
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
