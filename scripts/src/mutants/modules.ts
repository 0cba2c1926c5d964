import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../repository.ts';

/**
 * Loads a package's sources as Stryker changed them. Stryker writes them to a folder of its own, where no package would
 * be found; so the modules keep their places, and only their text comes from there. The tests are untouched.
 * @param folder the package's
 * @param changed the folder in which Stryker wrote the changed sources
 * @returns a function after which all sources are loaded anew
 */
export function loadChanged(folder: string, changed: string): () => void {
  const sources = `${pathToFileURL(join(root, folder)).href}/src/`;
  let generation = 0;
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return isSource(found.url) ? { ...found, url: `${found.url}?generation=${generation}` } : found;
    },
    load(url, context, next) {
      const loaded = next(url, context);
      if (!url.startsWith(sources)) return loaded;
      const [path = ''] = url.slice(sources.length).split('?');
      return { ...loaded, source: readFileSync(join(changed, 'src', path), 'utf8') };
    },
  });
  return () => {
    generation += 1;
  };
}

/** @returns true for a module of a package or service */
function isSource(url: string): boolean {
  const path = url.startsWith(base) ? url.slice(base.length) : '';
  return /^\/(packages|services)\/[^/]+\/src\/[^?]*$/.test(path);
}

const base = pathToFileURL(root).href;
