import { spawn } from 'node:child_process';

// With these background compilers of V8 a process may never end: `main` in `packages/runtime` says why.
const endsAlways = ['--no-maglev', '--no-concurrent-sparkplug'];

/**
 * Runs a TypeScript script with our arguments, terminal and signals, and ends with its exit code. The IPC channel tells
 * the script when this process has ended.
 * @param {string} node path of Node 24
 * @param {string} script
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
export function runScript(node, script, args, env) {
  const child = spawn(node, ['--conditions=public-payments', ...endsAlways, script, ...args], {
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

/** Stops the script when npm was killed. */
function whenNpmIsGone(stop) {
  const npm = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(watch);
    stop();
  }, 500).unref();
}
