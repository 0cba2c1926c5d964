import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// What an earlier start has compiled is not compiled again. Where nothing can be written, nothing is kept.
enableCompileCache(join(import.meta.dirname, '../.compiled'));
await import('./service.ts');
