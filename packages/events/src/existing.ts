import { isDeepStrictEqual } from 'node:util';

/** A configuration from JetStream. */
export type Existing = Record<string, unknown>;

/** Receives the result of an update. */
export type TopologyReport = {
  changed(fields: object, message: string): void;
  /** A person has to decide. Called each time the difference is found. */
  unchanged(fields: object, message: string): void;
};

type Update = {
  what: 'stream' | 'consumer';
  name: string;
  present: Existing;
  /** The wanted settings; others stay unchanged. */
  wanted: Existing;
  /** Settings that NATS can't change on an existing object. */
  fixed: readonly string[];
  update: (changes: Existing) => Promise<unknown>;
  report: TopologyReport;
};

/**
 * Updates an existing stream or consumer to the wanted settings, and reports the changes. It reports settings that
 * can't be changed without failing: the service continues with the existing ones.
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
