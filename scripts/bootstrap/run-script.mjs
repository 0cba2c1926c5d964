import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Runs a TypeScript script with our arguments, terminal and signals, and ends as it ends.
 * The IPC channel tells the script when we are gone, however that came about.
 * @param {string} node path of Node 24
 * @param {string} script
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function runScript(node, script, args, env) {
  const child = spawn(node, ['--conditions=public-payments', script, ...args], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event) whenNpmIsGone(() => child.kill('SIGTERM'));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

/** npm that was killed takes nobody with it; neither does the shell between npm and us. */
function whenNpmIsGone(stop) {
  const parents = () => [process.ppid, parentOf(process.ppid)].join();
  const before = parents();
  const watch = setInterval(() => {
    if (parents() === before) return;
    clearInterval(watch);
    stop();
  }, 1000).unref();
}

/** Only Linux tells; elsewhere the shell's own end has to do. */
function parentOf(pid) {
  try {
    return /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  } catch {
    return undefined;
  }
}
