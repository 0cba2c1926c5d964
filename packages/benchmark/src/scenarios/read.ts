import { call } from '@payments/testing/http';
import { creations, reads } from '../load/job.ts';
import type { Scenario } from '../scenario.ts';
import type { Side } from '../sides/side.ts';
import { compareSides } from './api-sides.ts';

const payments = 1_000;
const atOnce = 20;

/** Reads of a thousand payments in turn, each request authenticated. */
export const read: Scenario = {
  name: 'read',
  title: 'reads by id a second',
  run: (bench) =>
    compareSides(bench, {
      what: 'reads by id',
      jobOf: async (side) => reads(side, await createPayments(side)),
      floors: { bare: 1, usualStack: 4 },
    }),
};

async function createPayments(side: Side): Promise<string[]> {
  const { origin, paths, headers, bodies } = creations(side);
  const ids: string[] = [];
  const worker = async () => {
    while (ids.length < payments) {
      const { body } = await call(`${origin}${paths[0]}`, { headers, body: bodies[0] });
      ids.push(body.id);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return ids.map((id) => `/${id}`);
}
