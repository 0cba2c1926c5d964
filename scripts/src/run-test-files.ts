import t from 'tap';

/** Runs test files as processes, `jobs` at a time, and reports in TAP: `<jobs> <file> …`. */
const [jobs, ...files] = process.argv.slice(2);
t.setTimeout(0);
t.jobs = Number(jobs);
for (const file of files) {
  // tap's own hooks take a second of each file's start; they are for coverage.
  const plainNode = [
    '-u',
    'NODE_OPTIONS',
    'NODE_ENV=test',
    process.execPath,
    '--conditions=public-payments',
    file,
  ];
  void t.spawn('env', plainNode, { buffered: true }, file);
}
