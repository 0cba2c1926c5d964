import { parseArgs } from 'node:util';
import { firstPaymentCommands } from '@payments/testing/docs-programs';
import { type Journey, takeFirstPayment } from './newcomer/journey.ts';

/** `npm run newcomer`: times the way from a clone to a first paid payment, by copying from the guide alone. */
const { values, positionals } = parseArgs({
  options: { pages: { type: 'string', default: 'pt' } },
  allowPositionals: true,
});
const known = Object.keys(firstPaymentCommands);
const languages = positionals.length > 0 ? positionals : known;
const seconds = (time: number) => `${time.toFixed(1)} s`.padStart(8);

try {
  const unknown = languages.find((language) => !known.includes(language));
  if (unknown) throw new Error(`there is no program in ${unknown}: ${known.join(', ')}`);
  const path = { pt: '/docs/pt/guide', en: '/docs/guide' }[values.pages];
  if (!path) throw new Error('--pages must be pt or en');
  console.log('            clone  npm start  payment    together');
  // One after the other: each has the machine for itself.
  for (const language of languages) print(language, await takeFirstPayment(language, path));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

function print(language: string, { clone, start, payment }: Journey): void {
  const columns = [clone, start, payment, clone + start + payment].map(seconds);
  console.log(`${language.padEnd(10)}${columns.join('   ')}`);
}
