import t from 'tap';

/** Runs test files as processes of their own, so many at a time, and reports on them in TAP: `<jobs> <file> …`. */
const [jobs, ...files] = process.argv.slice(2);
t.setTimeout(0);
t.jobs = Number(jobs);
for (const file of files)
  void t.spawn(process.execPath, ['--conditions=public-payments', file], { buffered: true }, file);
