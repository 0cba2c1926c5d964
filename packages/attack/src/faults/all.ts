import { natsFaults, postgresFaults } from './backing.ts';
import { bankFaults } from './banks.ts';
import type { Fault } from './fault.ts';
import { linkFaults } from './links.ts';
import { processFaults } from './processes.ts';
import { pspFaults } from './psp.ts';
import { receiverFaults } from './receivers.ts';

/** All faults. */
export const allFaults: readonly Fault[] = [
  ...processFaults,
  ...postgresFaults,
  ...natsFaults,
  ...linkFaults,
  ...pspFaults,
  ...bankFaults,
  ...receiverFaults,
];

export const faultNames: readonly string[] = allFaults.map(({ name }) => name);
