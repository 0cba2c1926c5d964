/**
 * How long a test waits for what will come. Only a failure waits this long: a slow machine is no failure. It is less
 * than a test file may take (`run-test-files.ts`), so that the failure names what did not come.
 */
export const patienceMs = 90_000;

/**
 * Polls at short intervals until there is a result.
 * @throws an error after `timeoutMs`, or after `patienceMs` if that is longer
 */
export async function eventually<T>(
  timeoutMs: number,
  what: string,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const waitMs = Math.max(timeoutMs, patienceMs);
  const deadline = Date.now() + waitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`waited ${waitMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
