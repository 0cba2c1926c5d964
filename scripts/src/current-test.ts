import { currentTest } from './import-tests.ts';

/** Loaded anew for each test file, in the place of `tap`. */
export default currentTest;
