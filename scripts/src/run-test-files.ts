import { on } from 'node:events';
import { join } from 'node:path';
import { importTests } from './import-tests.ts';
import { root } from './repository.ts';

/**
 * Runs test files one after another in this process, each as a test of its own, and reports in TAP. It asks the parent
 * process for each file, and ends when that disconnects.
 */
// Only a file that hangs takes so long: a slow machine is no failure.
const timeout = 900_000;

// Loaded after `import-tests.ts`, which chooses what tap loads.
const { default: t } = await import('tap');

t.setTimeout(0);
// The name asked for is one of these files', not of those that a test of ours runs in its turn.
delete process.env.TAP_GREP;
const files = on(process, 'message', { close: ['disconnect'] });
process.send!('next');
for await (const [file] of files) {
  await t.test(String(file), { timeout }, (test) => importTests(join(root, String(file)), test));
  // tap unreferences it with the first test.
  process.channel?.ref();
  // A failed file may leave something running, which would disturb the next ones.
  if (t.passing()) process.send!('next');
  else process.send!('failed', endOnceReported);
}
/** Ends this process once all is read that it has to say: the pipe, and tap before it, may still hold the failures. */
function endOnceReported(): void {
  t.once('end', () => process.stdout.write('', () => process.exit()));
  t.end();
}

// A test that left something open keeps this process alive, and fails the run.
setTimeout(() => {
  console.error(`left open by a test: ${process.getActiveResourcesInfo().join(', ')}`);
  process.exit(1);
}, 20_000).unref();
