import { TestFiles } from './test-files.ts';

/** Stryker loads this file and finds by these names what runs the tests, and the setting that it reads. */
export const strykerPlugins = [{ kind: 'TestRunner', name: 'test-files', injectableClass: TestFiles }];

export const strykerValidationSchema = { properties: { mutants: { type: 'object' } } };
