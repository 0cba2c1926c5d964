import { join } from 'node:path';
import { prepareEngine } from '@payments/runtime/engine';

prepareEngine(join(import.meta.dirname, '../.compiled'));
await import('./service.ts');
