import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A failed step, in one line. */
export class SetupError extends Error {}

/** Prints progress to standard error; standard output belongs to the script. */
export function say(line) {
  process.stderr.write(`setup: ${line}\n`);
}

/** Prints the reason in one line and ends the process. */
export function fail(error) {
  say(error instanceof SetupError || error.code === undefined ? error.message : String(error));
  process.exitCode = 1;
}

/** npm's default pauses would make a machine without a network wait for more than a minute. */
const quickRetries = {
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
};

/**
 * Runs a command and shows its progress: every 5 s the elapsed time and the latest line.
 * @param {string} what shown at the start: the step, and why
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<string>} its standard output
 * @throws {SetupError} with the line that explains the failure, and the path of the whole output
 */
export async function step(what, command, args, options) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  say(`${what} …`);
  let [output, stdout] = ['', ''];
  const ticker = setInterval(() => say(`  ${seconds()} … ${lastLine(output)}`.trimEnd()), 5000);
  try {
    const env = { ...quickRetries, ...(options.env ?? process.env) };
    const child = spawn(command, args, { ...options, env, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
    if (code !== 0) throw new SetupError(`${what}: failed after ${seconds()}: ${explain(output)}`);
    say(`  done in ${seconds()}`);
    return stdout;
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    throw new SetupError(`${command} is not on PATH: install npm, or Node 24 or newer, then start again`);
  } finally {
    clearInterval(ticker);
  }
}

function lastLine(output) {
  const lines = output.trim().split(/[\r\n]+/);
  return (lines.filter((line) => !line.startsWith('npm warn')).at(-1) ?? '').slice(0, 100);
}

/** npm, pnpm and Node each mark the important line in their own way. */
function explain(output) {
  const lines = output.trim().split(/[\r\n]+/);
  const offline =
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ENETUNREACH|dns error|error sending request/i.exec(output);
  const marked = lines.find((line) => /ERR_PNPM|^npm error (?!code)|Error:/.test(line));
  const reason = offline
    ? `the package registry cannot be reached (${offline[0]})`
    : (marked ?? lines.at(-1)).trim();
  return `${reason} (all of it: ${keep(output)})`;
}

function keep(output) {
  const file = join(mkdtempSync(join(tmpdir(), 'setup-')), 'output.log');
  writeFileSync(file, output);
  return file;
}
