/**
 * How long a test waits for what will come. Only a failure waits this long: a slow machine is no failure. It is less
 * than a test file may take (`run-test-files.ts`), so that the failure names what did not come.
 */
export const patienceMs = 90_000;

/**
 * Polls until there is a result. The intervals grow with the time that has passed, so that a test which waits long leaves
 * the machine to what it waits for.
 * @throws an error after `waitMs`
 */
export async function eventually<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  waitMs = patienceMs,
): Promise<T> {
  const from = Date.now();
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    const waited = Date.now() - from;
    if (waited > waitMs) throw new Error(`waited ${waitMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(250, Math.max(10, waited / 5))));
  }
}
