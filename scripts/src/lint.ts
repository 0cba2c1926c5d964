import { checks, report } from './checks.ts';

/** `npm run lint`: all checks. Arguments go to Biome: `npm run lint -- --write` fixes what it can. */
const args = process.argv.slice(2);
for (const check of checks) {
  const holds = await report(check, check.takesArguments ? args : []);
  if (!holds) process.exitCode = 1;
}
