import type { Problem } from './problem.ts';

/** How many requests of the API Pix were checked against its schemas, and those that failed. */
export type Conformity = {
  checked: number;
  violations: { method: string; url: string; problem: string; violations: Problem['violations'] }[];
};

export function newConformity(): Conformity {
  return { checked: 0, violations: [] };
}
