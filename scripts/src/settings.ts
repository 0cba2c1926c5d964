import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configurationPage } from './configuration.ts';
import { root } from './repository.ts';

/** `npm run settings`: writes the configuration reference. */
const file = join('deploy', 'configuration.md');
await writeFile(join(root, file), configurationPage());
console.log(`wrote ${file}`);
