import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Test } from 'tap';
import { importTests } from '../import-tests.ts';
import { root } from '../repository.ts';
import { loadChanged, type Target } from './targets.ts';

/** A run of the tests on one change, in Stryker's words. */
export type MutantRun = {
  activeMutant: { id: string };
  /** The test files that run the changed place; all if it is not known. */
  testFilter?: string[];
  /** The file of the change. */
  sandboxFileName: string;
  /** How often the changed place may run: more often is an endless loop. */
  hitLimit?: number;
  /** Static: the place runs while its module loads. */
  mutantActivation: 'static' | 'runtime';
};

/** The global state that the changed sources read: which change is made, and who runs which place. */
type Switches = {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  mutantCoverage?: object;
};

const switches: Switches = {};
Object.assign(globalThis, { __stryker__: switches });

/**
 * Runs our test files for Stryker in its own process, where a file takes milliseconds. Stryker's own runner for TAP starts
 * a process for each file and change, which takes a second.
 */
export class TestFiles {
  static readonly inject = ['options'] as const;
  readonly #target: Target;
  /** Tests that noticed a change, the latest last. */
  readonly #noticed = new Set<string>();
  #loadAnew = () => {};
  #Test!: typeof Test;

  constructor({ mutants }: { mutants: Target }) {
    this.#target = mutants;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init(): Promise<void> {
    keepChannelFree();
    const tap = await import('tap');
    // tap ends a process in which its own first test takes half a minute, and there is none here.
    tap.default.setTimeout(0);
    this.#Test = tap.Test;
    this.#loadAnew = loadChanged(this.#target.folder, process.cwd());
  }

  /** Runs all tests on unchanged sources, to learn which of them run each place. */
  async dryRun() {
    await this.#loadSources();
    const tests = [];
    for (const id of this.#target.tests) {
      switches.currentTestId = id;
      const started = Date.now();
      const failureMessage = await this.#failureOf(id);
      const test = { id, name: id, timeSpentMs: Date.now() - started };
      tests.push(
        failureMessage === undefined ? { ...test, status: 0 } : { ...test, status: 1, failureMessage },
      );
    }
    switches.currentTestId = undefined;
    return { status: 'complete', tests, mutantCoverage: switches.mutantCoverage };
  }

  /** Runs the tests on one change until one of them fails. */
  async mutantRun(run: MutantRun) {
    await this.#makeChange(run);
    const { sandboxFileName, testFilter = this.#target.tests, hitLimit = Number.POSITIVE_INFINITY } = run;
    let nrOfTests = 0;
    for (const id of this.#likeliestFirst(sandboxFileName, testFilter)) {
      nrOfTests += 1;
      const failureMessage = await this.#failureOf(id);
      if ((switches.hitCount ?? 0) > hitLimit) return { status: 'timeout', reason: `${id} loops` };
      if (failureMessage === undefined) continue;
      this.#noticed.delete(id);
      this.#noticed.add(id);
      return { status: 'killed', killedBy: [id], failureMessage, nrOfTests };
    }
    return { status: 'survived', nrOfTests };
  }

  async #makeChange({ activeMutant, hitLimit, mutantActivation }: MutantRun): Promise<void> {
    // Another change may have spoilt what a module keeps, such as the last id.
    this.#loadAnew();
    switches.activeMutant = undefined;
    if (mutantActivation === 'runtime') await this.#loadSources();
    switches.hitLimit = hitLimit;
    switches.hitCount = hitLimit === undefined ? undefined : 0;
    switches.activeMutant = activeMutant.id;
  }

  /** First the test with the source's name, then those that noticed the latest changes, which were made nearby. */
  #likeliestFirst(source: string, tests: readonly string[]): string[] {
    const name = `${basename(source, '.ts')}.test.ts`;
    const latest = [...this.#noticed].reverse();
    const ordered = [...tests.filter((id) => basename(id) === name), ...latest, ...tests];
    return [...new Set(ordered)].filter((id) => tests.includes(id));
  }

  /** Code that runs while sources load belongs to no test. */
  async #loadSources(): Promise<void> {
    for (const source of this.#target.sources) {
      const [file = ''] = source.split(':');
      await import(pathToFileURL(this.#path(file)).href);
    }
  }

  /** @returns the first failure of a test file; undefined if it passes */
  async #failureOf(id: string): Promise<string | undefined> {
    const test = new this.#Test({
      name: id,
      timeout: 0,
      cb: (one: Test) => importTests(this.#path(id), one),
    });
    // Its report is read by nobody.
    test.resume();
    await new Promise<void>((resolve) => test.main(resolve));
    if (test.results?.ok) return undefined;
    return test.results?.failures[0]?.fullname ?? 'the test has no result';
  }

  #path(path: string): string {
    return join(root, this.#target.folder, path);
  }
}

/** Stryker reads each message to the parent process as its own. Its own are texts; tap sends objects. */
function keepChannelFree(): void {
  const send = process.send!.bind(process) as (message: string) => boolean;
  process.send = (message: unknown) => typeof message !== 'string' || send(message);
}
