import { checks, report } from './checks.ts';

/** `npm run lint`: Biome and the types. Arguments go to Biome: `npm run lint -- --write` fixes what it can. */
const [lint, types] = checks;
const results = [await report(lint!, process.argv.slice(2)), await report(types!)];
if (results.includes(false)) process.exitCode = 1;
