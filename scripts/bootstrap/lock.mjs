import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { say } from './progress.mjs';

/**
 * Runs `work` while no other start works on this checkout's node_modules; waits for its turn.
 * A lock whose owner has gone is taken over.
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

/** The lock appears together with its owner's id: a link to a file that is already written. */
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

/** @returns {number | undefined} nothing when it has just been released */
function ownerOf(lock) {
  const owner = readIfThere(lock);
  return owner === undefined ? undefined : Number(owner);
}

/** One that ended without anybody asking for its exit code is a zombie, and gone (Linux). */
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
