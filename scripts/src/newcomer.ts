import { parseArgs } from 'node:util';
import { firstPaymentCommands } from '@payments/testing/docs-programs';
import { startHostedService, takeFirstPayment, useTestStore } from './newcomer/journey.ts';

/**
 * `npm run newcomer`: times the way from a clone to a first paid payment, by copying from the guide alone. With
 * `--test-store` it is the way from a test store's token to a paid payment and a verified webhook, at a hosted service.
 */
const options = {
  pages: { type: 'string', default: 'pt' },
  'test-store': { type: 'boolean', default: false },
} as const;
const known = Object.keys(firstPaymentCommands);
const seconds = (time: number) => `${time.toFixed(1)} s`.padStart(8);

try {
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const languages = positionals.length > 0 ? positionals : known;
  const unknown = languages.find((language) => !known.includes(language));
  if (unknown) throw new Error(`there is no program in ${unknown}: ${known.join(', ')}`);
  const path = { pt: '/docs/pt/guide', en: '/docs/guide' }[values.pages];
  if (!path) throw new Error('--pages must be pt or en');
  await (values['test-store'] ? fromTestToken : fromClone)(languages, path);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}

// One language after the other: each has the machine for itself.

async function fromClone(languages: string[], path: string): Promise<void> {
  console.log('            clone  npm start  payment    together');
  for (const language of languages) {
    const { clone, start, payment } = await takeFirstPayment(language, path);
    print(language, [clone, start, payment]);
  }
}

async function fromTestToken(languages: string[], path: string): Promise<void> {
  const hosted = await startHostedService();
  try {
    console.log('          payment    webhook   together');
    for (const language of languages) {
      const { payment, webhook } = await useTestStore(language, path, await hosted.openTestStore());
      print(language, [payment, webhook]);
    }
  } finally {
    await hosted.stop();
  }
}

function print(language: string, times: number[]): void {
  const together = times.reduce((sum, time) => sum + time, 0);
  const columns = [...times, together].map(seconds);
  console.log(`${language.padEnd(10)}${columns.join('   ')}`);
}
