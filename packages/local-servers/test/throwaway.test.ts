import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import t from 'tap';
import { throwawayFolder } from '../src/throwaway.ts';

/** Throwaway servers keep their files in memory, where there is plenty. */
const { bavail, bsize } = statfsSync('.');
const isRoomy = bavail * bsize > 4 * 2 ** 30;

t.test('a roomy folder in memory is chosen', { skip: !isRoomy && 'this disk is almost full' }, async (t) => {
  t.equal(await throwawayFolder('.', 8 * 2 ** 30), '.');
});

t.test('little memory, or no such folder: the folder of temporary files', async (t) => {
  t.equal(await throwawayFolder('.', 2 ** 30), tmpdir());
  t.equal(await throwawayFolder('/no-such-folder', 8 * 2 ** 30), tmpdir());
});
