import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chartTemplates } from './chart-templates.ts';
import { root } from './repository.ts';

/** `npm run chart`: writes the Helm chart's templates. */
const folder = join(root, 'deploy/chart/templates');
const templates = chartTemplates();
await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
for (const [name, text] of templates) await writeFile(join(folder, name), text);
console.log(`wrote ${templates.size} files to deploy/chart/templates`);
