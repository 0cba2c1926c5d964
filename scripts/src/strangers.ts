import { globSync } from 'node:fs';
import { root } from './repository.ts';

/**
 * `npm run strangers`: the tests that hold what others wrote against the system: Efí's own SDKs at the simulated Efí, and
 * a validator with the Central Bank's document and the service's own between all parts.
 */
process.argv.push(...globSync('packages/strangers/test/*.slow.ts', { cwd: root }).sort());
await import('./test.ts');
