import { readFileSync } from 'node:fs';
import { html, type SafeHtml, trusted } from '../html.ts';
import { docsFolder } from '../shipped-files.ts';
import { errorTable } from './error-table.ts';
import { english, type Language } from './languages.ts';
import { code, type Heading, markdown, scrollable } from './markdown.ts';
import type { View } from './reference/document.ts';
import type { Translations } from './translate.ts';

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

/** The samples that verify a webhook. Tests run these files against real deliveries. */
const samples = [
  { file: 'verify/verify.ts', title: 'TypeScript', language: 'typescript' },
  { file: 'verify/verify.py', title: 'Python', language: 'python' },
  { file: 'verify/verify.php', title: 'PHP', language: 'php' },
];

export type Place = { base: string; simulatorUrl?: string | undefined };

/** @returns the guide in a language: its text with samples, error table and state diagram inserted */
export function guide(view: View, language: Language, place: Place): { contents: SafeHtml; body: SafeHtml } {
  const shell = { file: 'verify/verify.sh', title: view.words.shellSample, language: 'bash' };
  const parts: Record<string, () => SafeHtml> = {
    states: () => html`<figure class="states">${scrollable(picture(language.translations))}</figure>`,
    errors: () => errorTable(view),
    client: () =>
      html`${['client/charge.ts', 'client/receive.ts'].map((file) => clientSample(file, serviceOf(view)))}`,
    samples: () => html`${[...samples, shell].map(sample)}`,
  };
  const { body, headings } = markdown(filledGuide(view, language, place), anchors(place));
  const whole = String(body).replace(/<!-- (\w+) -->/g, (mark, name: string) =>
    String(parts[name]?.() ?? mark),
  );
  return { contents: contents(headings), body: html`<article class="guide">${trusted(whole)}</article>` };
}

/** @returns the guide's text with its addresses filled in */
export function filledGuide(view: View, { guide, path }: Language, place: Place): string {
  return withoutLocal(guide, place)
    .replaceAll('{base_url}', serviceOf(view))
    .replaceAll('{bank_url}', place.simulatorUrl ?? '')
    .replaceAll('{docs}', place.base + path);
}

const serviceOf = ({ document }: View) => (document.servers?.[0]?.url ?? '').replace(/\/$/, '');

/** What is between these marks is for a machine with a simulated bank. */
function withoutLocal(text: string, { simulatorUrl }: Place): string {
  return text.replace(/<!-- local -->\n(.*?)<!-- \/local -->\n/gs, (_mark, local: string) =>
    simulatorUrl === undefined ? '' : local,
  );
}

/** @returns the text below each heading of a guide */
export function sectionsOf(text: string, place: Place): { id: string; title: string; text: string }[] {
  const ids = anchors(place);
  const parts = text.split(/^#+ (?=.*$)/m).slice(1);
  return parts.map((part, index) => {
    const [title = '', ...lines] = part.split('\n');
    return { id: ids[index] ?? '', title, text: lines.join(' ') };
  });
}

/** The English headings name the sections in every language, so that links to them lead to the same place. */
function anchors(place: Place): string[] {
  return markdown(withoutLocal(english.guide, place)).headings.map(({ id }) => id);
}

/** @returns the state diagram with its labels translated */
function picture(texts: Translations): SafeHtml {
  return trusted(read('states.svg').replace(/(?<=>)[^<>]+(?=<)/g, (text) => texts[text] ?? text));
}

function sample({ file, title, language }: (typeof samples)[number], index: number): SafeHtml {
  return html`<details class="sample" name="sample"${index === 0 && html` open`}><summary>${title}</summary>${code(read(file).trimEnd(), language)}</details>`;
}

/** @returns a program of the client's, for this service */
function clientSample(file: string, service: string): SafeHtml {
  return code(read(file).trimEnd().replaceAll('http://localhost:3000', service), 'typescript');
}

function contents(headings: Heading[]): SafeHtml {
  const items = headings.filter(({ depth }) => depth === 2);
  return html`<ul>${items.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}
