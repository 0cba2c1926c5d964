import t from 'tap';

/** Runs test files as processes of their own, so many at a time, and reports on them in TAP: `<jobs> <file> …`. */
const [jobs, ...files] = process.argv.slice(2);
t.setTimeout(0);
t.jobs = Number(jobs);
for (const file of files) {
  // tap's own hooks take a second of each file's start, and nobody asks for coverage.
  const plainNode = ['-u', 'NODE_OPTIONS', process.execPath, '--conditions=public-payments', file];
  void t.spawn('env', plainNode, { buffered: true }, file);
}
