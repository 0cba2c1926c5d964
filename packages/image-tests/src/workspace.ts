import { join } from 'node:path';

/** The workspace's top folder. */
export const root = join(import.meta.dirname, '../../..');
