import { isRight, runDefects } from './defects/run-defects.ts';
import { type AttackOptions, OptionError, readOptions, usage } from './options.ts';
import { runAttack } from './run.ts';
import { runSoak, trendLines } from './soak/run-soak.ts';
import { root } from './sources.ts';
import { summaryOf, writeReport } from './verdict/report.ts';

/** `npm run chaos`: attacks the running system with real faults, and judges its promises. */
const told = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => told.abort());
process.on('disconnect', () => told.abort());

try {
  const options = readOptions(process.argv.slice(2));
  if (options?.defects) await defects(options);
  else if (options?.soak) await soak(options);
  else if (options) await attack(options);
  else console.log(usage);
} catch (error) {
  if (!told.signal.aborted && !(error instanceof OptionError)) throw error;
  console.error(told.signal.aborted ? 'ended before its time' : (error as Error).message);
  process.exitCode = 1;
}
// Exits at once: a fault in progress may not start anything more.
process.exit();

async function attack(options: AttackOptions) {
  console.log(`seed ${options.seed}, ${options.seconds} s, ${options.faults.length} kinds of faults`);
  const run = { ...options, sources: root, signal: told.signal };
  const report = await runAttack(run, (line) => console.log(line));
  writeReport(options.report, report);
  for (const line of summaryOf(report)) console.log(line);
  console.log(`report: ${options.report}`);
  if (report.breaches.length > 0) process.exitCode = 1;
}

async function defects(options: AttackOptions) {
  const caught = await runDefects({ root, options, signal: told.signal }, (line) => console.log(line));
  writeReport(options.report, caught);
  console.log(`report: ${options.report}`);
  if (!caught.every(isRight)) process.exitCode = 1;
}

async function soak(options: AttackOptions) {
  console.log(`soak: seed ${options.seed}, ${options.seconds} s, ${options.rate} actions a second`);
  const ended = await runSoak({ ...options, sources: root, signal: told.signal }, (line) =>
    console.log(line),
  );
  writeReport(options.report, ended);
  for (const line of [...summaryOf(ended.report), '', ...trendLines(ended.trends)]) console.log(line);
  console.log(`report: ${options.report}`);
  const holds = ended.report.breaches.length === 0 && ended.trends.every((trend) => trend.holds);
  if (!holds) process.exitCode = 1;
}
