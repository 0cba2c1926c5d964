import type { FastifyInstance } from 'fastify';
import { charge } from './charge.ts';
import { faults } from './faults.ts';
import { pay } from './pay.ts';

/** The bank's other side: customers who pay, and the hand that makes it misbehave. Needs no token. */
export async function bankSide(app: FastifyInstance): Promise<void> {
  pay(app);
  faults(app);
  charge(app);
}
