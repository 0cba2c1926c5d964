import { createRequire } from 'node:module';

type Query = (this: unknown, config: unknown, ...rest: unknown[]) => unknown;

/**
 * Records every SQL statement that this process sends, by patching the driver.
 * @returns the recorded texts and a function that stops recording
 */
export function watchStatements(): { taken(): string[]; stop(): void } {
  const driver = createRequire(import.meta.resolve('@payments/database/connection'))('pg');
  const { prototype } = driver.Client as { prototype: { query: Query } };
  const { query } = prototype;
  let texts: string[] = [];
  prototype.query = function watched(config, ...rest) {
    texts.push(typeof config === 'string' ? config : ((config as { text?: string } | null)?.text ?? ''));
    return query.call(this, config, ...rest);
  };
  return {
    taken: () => {
      const taken = texts;
      texts = [];
      return taken;
    },
    stop: () => {
      prototype.query = query;
    },
  };
}
