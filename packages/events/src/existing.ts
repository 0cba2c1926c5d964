import { isDeepStrictEqual } from 'node:util';

/** A configuration as JetStream tells it. */
export type Existing = Record<string, unknown>;

/** Hears what became of what was there. */
export type TopologyReport = {
  changed(fields: object, message: string): void;
  /** A person has to decide; heard again each time it is found so. */
  unchanged(fields: object, message: string): void;
};

type Update = {
  what: 'stream' | 'consumer';
  name: string;
  present: Existing;
  /** What the code says; nothing else is touched. */
  wanted: Existing;
  /** What no NATS changes of what exists. */
  fixed: readonly string[];
  update: (changes: Existing) => Promise<unknown>;
  report: TopologyReport;
};

/**
 * Brings what exists to what the code says, as far as it can be changed, and says so. What can't be is reported and no
 * failure: the service works on with what there is, also where its account may not change it.
 */
export async function updateExisting(options: Update): Promise<void> {
  const { what, name, present, wanted, fixed, update, report } = options;
  const differing = Object.keys(wanted).filter((field) => !isDeepStrictEqual(present[field], wanted[field]));
  const told = (fields: string[]) => ({
    [what]: name,
    fields: Object.fromEntries(fields.map((field) => [field, { is: present[field], wanted: wanted[field] }])),
  });
  const stuck = differing.filter((field) => fixed.includes(field));
  if (stuck.length > 0) report.unchanged(told(stuck), `the ${what} can’t be changed in ${stuck.join(', ')}`);
  const open = differing.filter((field) => !fixed.includes(field));
  if (open.length === 0) return;
  try {
    await update(Object.fromEntries(open.map((field) => [field, wanted[field]])));
    report.changed(told(open), `the ${what} was changed in ${open.join(', ')}`);
  } catch (error) {
    report.unchanged({ err: error, ...told(open) }, `the ${what} could not be changed in ${open.join(', ')}`);
  }
}
