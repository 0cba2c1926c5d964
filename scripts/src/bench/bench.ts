import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { BenchError, type BenchOptions, readArguments } from './arguments.ts';
import { type Ground, prepareGround } from './ground.ts';
import { prepare } from './installation.ts';
import { renderReport, renderResult } from './report.ts';
import type { ScenarioResult } from './results.ts';
import type { Scenario } from './scenario.ts';
import { scenarios } from './scenarios.ts';
import { surroundings } from './surroundings.ts';

/** `npm run bench -- [scenario …] [--rounds 5] [--seconds 10] …`: measures the service beside others. */
const say = (line: string) => void process.stderr.write(`${line}\n`);
const startedAt = new Date().toISOString();

try {
  const options = readArguments(
    process.argv.slice(2),
    scenarios.map(({ name }) => name),
  );
  await prepare(options.build, say);
  const ground = await prepareGround(say);
  try {
    await runAll(options, ground);
  } finally {
    await ground.close();
  }
} catch (error) {
  say(error instanceof BenchError ? error.message : String((error as Error).stack));
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

async function runAll(options: BenchOptions, ground: Ground) {
  const chosen = options.scenarios.map((name) => scenarios.find((scenario) => scenario.name === name));
  const about = surroundings();
  const results: ScenarioResult[] = [];
  for (const scenario of chosen.length > 0 ? chosen.filter((one) => one !== undefined) : scenarios) {
    const result = await runOne(scenario, options, ground);
    if (!result) continue;
    process.stdout.write(`\n${renderResult(result)}\n\n`);
    results.push(result);
    write(options, about, results);
  }
}

/** One that fails takes no other with it. */
async function runOne(
  scenario: Scenario,
  options: BenchOptions,
  ground: Ground,
): Promise<ScenarioResult | undefined> {
  const { name, title } = scenario;
  say(`\n${name}: ${title}`);
  try {
    return { name, title, ...(await scenario.run({ options, ground, say })) };
  } catch (error) {
    say(`${name} failed: ${error instanceof BenchError ? error.message : (error as Error).stack}`);
    process.exitCode = 1;
    return undefined;
  }
}

function write(options: BenchOptions, about: Record<string, string>, results: ScenarioResult[]) {
  const command = ['npm run bench --', ...process.argv.slice(2)].join(' ');
  const report = { command, startedAt, surroundings: { ...about, ended: new Date().toISOString() }, results };
  const path = resolve(options.report);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(`${path}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  writeFileSync(`${path}.md`, `${renderReport(report)}\n`);
  say(`report: ${path}.md`);
}
