import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from './progress.mjs';

/**
 * Runs `work` while no other start works on this checkout's node_modules, and waits for its turn. It takes over the
 * lock of a process that has ended.
 * @param {string} root the workspace
 * @param {() => Promise<void>} work
 */
export async function alone(root, work) {
  const lock = join(root, 'node_modules', '.setup-lock');
  mkdirSync(join(root, 'node_modules'), { recursive: true });
  for (let told = false; !take(lock); await delay(200)) {
    if (!told) say('another start is installing here: waiting for it …');
    told = true;
  }
  try {
    await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Creates the lock as a link to a written file, so that it always names its owner. */
function take(lock) {
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, String(process.pid));
  try {
    linkSync(mine, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isRunning(ownerOf(lock))) rmSync(lock, { force: true });
    return false;
  } finally {
    rmSync(mine, { force: true });
  }
}

/** @returns {number | undefined} the owner's process id; undefined if the lock was just released */
function ownerOf(lock) {
  const owner = readIfThere(lock);
  return owner === undefined ? undefined : Number(owner);
}

/** @returns whether a process runs; a zombie has ended (Linux) */
function isRunning(pid) {
  if (pid === undefined) return true;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
  return !/^State:\s*Z/m.test(readIfThere(`/proc/${pid}/status`) ?? '');
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
