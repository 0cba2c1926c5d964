import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Ground, prepareGround } from './ground.ts';
import { prepare } from './installation.ts';
import { BenchError, type BenchOptions, readOptions } from './options.ts';
import { type Report, renderReport } from './report.ts';
import { scenarios } from './scenarios.ts';
import { surroundings } from './surroundings.ts';

/** `npm run bench -- [scenario …] [--rounds 5] [--seconds 5] …`: measures the service against its floors. */
const say = (line: string) => void process.stderr.write(`${line}\n`);

try {
  const names = scenarios.map(({ name }) => name);
  const options = readOptions(process.argv.slice(2), names);
  await prepare(options.build, say);
  const ground = await prepareGround();
  try {
    await runAll(options, ground);
  } finally {
    await ground.close();
  }
} catch (error) {
  say(explain(error));
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

async function runAll(options: BenchOptions, ground: Ground) {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  const report: Report = { command, surroundings: surroundings(), scenarios: [] };
  const names = options.scenarios.length > 0 ? options.scenarios : scenarios.map(({ name }) => name);
  for (const wanted of names) {
    const { name, title, run } = scenarios.find((scenario) => scenario.name === wanted)!;
    say(`\n${name}: ${title}`);
    try {
      report.scenarios.push({ name, ...(await run({ options, ground, say })) });
    } catch (error) {
      // A failed scenario does not stop the others.
      say(`${name} failed: ${explain(error)}`);
      process.exitCode = 1;
    }
    write(options.report, report);
  }
  process.stdout.write(`\n${renderReport(report)}\n`);
  say(`\nreport: ${resolve(options.report)}.md`);
}

function write(path: string, report: Report) {
  mkdirSync(dirname(resolve(path)), { recursive: true });
  writeFileSync(`${path}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(`${path}.md`, `${renderReport(report)}\n`);
}

function explain(error: unknown): string {
  return error instanceof BenchError ? error.message : String((error as Error).stack);
}
