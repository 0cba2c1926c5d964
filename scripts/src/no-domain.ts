/**
 * Stands in the place of tap's `async-hook-domain`, which follows every promise of the process to know to which test an
 * error belongs that nobody catches. That took a tenth of a test's processor time. Files run one test at a time here, so
 * `import-tests.ts` tells the test that runs.
 */
export class Domain {
  destroy(): void {}
}
