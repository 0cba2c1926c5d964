import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { prometheusRule } from './prometheus-rule.ts';
import { root } from './repository.ts';

/** `npm run alerts`: writes the alert rules for the Prometheus operator. */
const file = join('deploy', 'kubernetes', 'components', 'prometheus-operator', 'prometheus-rule.yaml');
await writeFile(join(root, file), prometheusRule());
console.log(`wrote ${file}`);
