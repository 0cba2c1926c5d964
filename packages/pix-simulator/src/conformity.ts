import type { Operation } from './faults.ts';
import type { Problem } from './problem.ts';

/** A request that names a charge or a Pix that this bank does not have; `id` is its txid or endToEndId. */
export type UnknownRequest = { operation: Operation; id: string };

/** How many requests of the API Pix were checked against its schemas, and those that failed. */
export type Conformity = {
  checked: number;
  violations: { method: string; url: string; problem: string; violations: Problem['violations'] }[];
};

export function newConformity(): Conformity {
  return { checked: 0, violations: [] };
}
