import { join } from 'node:path';

/** The workspace whose services are attacked, unless a defect is made in a copy of it. */
export const root = join(import.meta.dirname, '../../..');
