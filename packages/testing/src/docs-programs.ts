import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#x27': "'" };

/**
 * Reads what a person copies from a page of the docs.
 * @param html of the guide
 * @returns the programs of the group by their titles, and the line that sets TOKEN
 */
export function programsOf(html: string, group: string): Record<string, string> {
  const blocks = html.matchAll(
    new RegExp(
      `<details class="sample" name="${group}".*?<summary>(.*?)</summary>.*?<code>(.*?)</code>`,
      'gs',
    ),
  );
  return Object.fromEntries([...blocks].map(([, title = '', code = '']) => [title, textOf(code)]));
}

/** @returns the line of the guide that sets TOKEN */
export function tokenLineOf(html: string): string {
  const [, line] = /<code>([^\n]*TOKEN=.*?)<\/code>/.exec(html) ?? [];
  if (!line) throw new Error('the guide has no line that sets TOKEN');
  return textOf(line);
}

/** @returns the command of the guide that has this in it */
export function commandOf(html: string, part: string): string {
  const blocks = [...html.matchAll(/<code>(.*?)<\/code>/gs)].map(([, code = '']) => textOf(code));
  const command = blocks.find((block) => block.startsWith('curl ') && block.includes(part));
  if (!command) throw new Error(`the guide has no command with ${part}`);
  return command;
}

const textOf = (html: string) =>
  html.replace(/<[^>]+>/g, '').replace(/&([\w#]+);/g, (whole, name: string) => entities[name] ?? whole);

/** How a person runs the guide's first payment, by its title on the page. */
export const firstPaymentCommands: Record<string, (file: string) => [program: string, ...args: string[]]> = {
  curl: (file) => ['bash', '-e', file],
  JavaScript: (file) => ['node', file],
  Python: (file) => ['python3', file],
  PHP: (file) => ['php', file],
};

/**
 * Saves a program of the guide under the name that it says, and runs it to its end.
 * @param onOutput receives all that it has printed so far
 */
export async function runProgram(
  title: string,
  source: string,
  { folder, token, onOutput }: { folder: string; token: string; onOutput?: (output: string) => void },
): Promise<{ status: number; output: string }> {
  const name = /first-payment\.\w+/.exec(source)?.[0] ?? 'first-payment.sh';
  const file = join(folder, name);
  writeFileSync(file, source);
  const [program, ...args] = firstPaymentCommands[title]!(file);
  const child = spawn(program, args, { env: { PATH: process.env.PATH, TOKEN: token } });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
    onOutput?.(printed);
  });
  const [out, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { status: Number(status), output: out + errors };
}
