import { readFileSync } from 'node:fs';
import { html, type SafeHtml, trusted } from '../html.ts';
import { docsFolder } from '../shipped-files.ts';
import { errorTable } from './error-table.ts';
import { code, type Heading, markdown, scrollable } from './markdown.ts';
import type { OpenApiDocument } from './reference/document.ts';

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

/** The samples that verify a webhook. Tests run these files against real deliveries. */
const samples = [
  { file: 'verify/verify.ts', title: 'TypeScript', language: 'typescript' },
  { file: 'verify/verify.py', title: 'Python', language: 'python' },
  { file: 'verify/verify.php', title: 'PHP', language: 'php' },
  { file: 'verify/verify.sh', title: 'Shell: curl or any other receiver, and openssl', language: 'bash' },
];

/** @returns the guide: `docs/guide.md` with samples, error table and state diagram inserted */
export function guide(document: OpenApiDocument, base: string): { contents: SafeHtml; body: SafeHtml } {
  const parts: Record<string, () => SafeHtml> = {
    states: () => html`<figure class="states">${scrollable(trusted(read('states.svg')))}</figure>`,
    errors: () => errorTable(document),
    client: () =>
      html`${['client/charge.ts', 'client/receive.ts'].map((file) => code(read(file).trimEnd(), 'typescript'))}`,
    samples: () => html`${samples.map(sample)}`,
  };
  const service = (document.servers?.[0]?.url ?? '').replace(/\/$/, '');
  const text = read('guide.md').replaceAll('{base_url}', service).replaceAll('{docs}', base);
  const { body, headings } = markdown(text);
  const filled = String(body).replace(/<!-- (\w+) -->/g, (place, name: string) =>
    String(parts[name]?.() ?? place),
  );
  return { contents: contents(headings), body: html`<article class="guide">${trusted(filled)}</article>` };
}

function sample({ file, title, language }: (typeof samples)[number], index: number): SafeHtml {
  return html`<details class="sample" name="sample"${index === 0 && html` open`}><summary>${title}</summary>${code(read(file).trimEnd(), language)}</details>`;
}

function contents(headings: Heading[]): SafeHtml {
  const items = headings.filter(({ depth }) => depth === 2);
  return html`<ul>${items.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}
