import { readFileSync } from 'node:fs';
import { html, type SafeHtml } from '../pages/html.ts';
import { docsFolder } from '../shipped-files.ts';
import { code } from './markdown.ts';
import type { Translations } from './translate.ts';

/** A program of the guide's. Tests run these files. */
type Sample = { file: string; title: string; language: string };

/** Take a first payment. */
export const firstPayments: Sample[] = [
  { file: 'first-payment/first-payment.sh', title: 'curl', language: 'bash' },
  { file: 'first-payment/first-payment.mjs', title: 'JavaScript', language: 'typescript' },
  { file: 'first-payment/first-payment.py', title: 'Python', language: 'python' },
  { file: 'first-payment/first-payment.php', title: 'PHP', language: 'php' },
];

/** Verify a webhook. */
export const verifiers: Sample[] = [
  { file: 'verify/verify.ts', title: 'TypeScript', language: 'typescript' },
  { file: 'verify/verify.py', title: 'Python', language: 'python' },
  { file: 'verify/verify.php', title: 'PHP', language: 'php' },
  { file: 'verify/verify.sh', title: 'curl + openssl', language: 'bash' },
];

/**
 * @param group of the samples only one is open
 * @param fill fills places in
 */
export function samples(
  group: string,
  list: Sample[],
  texts: Translations,
  fill = (source: string) => source,
): SafeHtml {
  return html`${list.map(({ file, title, language }, index) => {
    const source = translateComments(fill(readSample(file)), texts);
    return html`<details class="sample" name="${group}"${index === 0 && html` open`}><summary>${title}</summary>${code(source, language)}</details>`;
  })}`;
}

/** @returns a program of the docs, without the line break at its end */
export const readSample = (file: string) => readFileSync(new URL(file, docsFolder), 'utf8').trimEnd();

const line = /^([ \t]*(?:#|\/\/|\/?\*+) )(.+)$/gm;

/** @returns the texts of a program's comments, line by line */
export const commentsOf = (source: string): string[] =>
  [...source.matchAll(line)].map(([, , text = '']) => text);

function translateComments(source: string, texts: Translations): string {
  return source.replace(line, (whole, lead: string, text: string) =>
    texts[text] === undefined ? whole : lead + texts[text],
  );
}
