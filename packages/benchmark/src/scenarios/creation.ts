import { creations } from '../load/job.ts';
import type { Scenario } from '../scenario.ts';
import { compareSides } from './api-sides.ts';

/** Creations without a webhook, with a bank that responds at once. */
export const creation: Scenario = {
  name: 'creation',
  title: 'creations a second, one PSP call each',
  run: (bench) =>
    compareSides(bench, {
      what: 'creations',
      jobOf: async (side) => creations(side),
      floors: { bare: 0.9, usualStack: 2 },
    }),
};
