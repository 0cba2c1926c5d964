import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@payments/local-servers/free-port';
import { programsOf, runProgram, tokenLineOf } from '@payments/testing/docs-programs';
import { root } from '../repository.ts';

/** How long each step took, in seconds. */
export type Journey = { clone: number; start: number; payment: number };

/**
 * Clones the last commit, starts it, and runs the guide's program in a language.
 * @param path of the guide
 * @throws Error with the output of the step that failed
 */
export async function takeFirstPayment(language: string, path: string): Promise<Journey> {
  const folder = await mkdtemp(join(tmpdir(), 'payments-newcomer-'));
  const clone = join(folder, 'clone');
  try {
    const cloned = await timed(() => run('git', ['clone', '--quiet', `file://${root}`, clone], folder));
    const begun = performance.now();
    const system = await npmStart(clone);
    const start = (performance.now() - begun) / 1_000;
    try {
      const payment = await timed(() => pay(language, `${system.url}${path}`, folder));
      return { clone: cloned, start, payment };
    } finally {
      await system.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Copies the token and the program from the page, and runs the program. */
async function pay(language: string, page: string, folder: string): Promise<void> {
  const html = await (await fetch(page)).text();
  const token = tokenLineOf(html).replace('export TOKEN=', '');
  const source = programsOf(html, 'first')[language] ?? '';
  const { status, output } = await runProgram(language, source, { folder, token });
  if (status !== 0 || !output.includes('approved')) throw new Error(`${language} took no payment: ${output}`);
}

async function npmStart(cwd: string) {
  const names = ['API_PORT', 'ADMIN_PORT', 'DISPATCHER_PORT', 'SIMULATOR_PORT', 'MAILBOX_PORT'];
  const ports = await Promise.all(names.map(async (name) => [name, String(await freePort())] as const));
  const { PATH, HOME } = process.env;
  const env: NodeJS.ProcessEnv = { PATH, HOME, ...Object.fromEntries(ports) };
  const child = spawn('npm', ['start'], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let output = '';
  const up = Promise.withResolvers<void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk;
      if (output.includes('is running.')) up.resolve();
    });
  }
  const failed = ended.then(() => Promise.reject(new Error(`npm start ended:\n${output}`)));
  failed.catch(() => {});
  await Promise.race([up.promise, failed]);
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
  };
  return { url: `http://localhost:${env.API_PORT}`, stop };
}

async function run(program: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${errors}`);
}

async function timed(step: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await step();
  return (performance.now() - begun) / 1_000;
}
