import { readFileSync } from 'node:fs';
import { docsFolder } from '../context.ts';
import { html, type SafeHtml, trusted } from '../pages/html.ts';
import { examplesOf, type OpenApiDocument, operationsOf, resolve, type View } from './document.ts';
import { english, type Language, type Translations } from './languages.ts';
import { code, type Heading, inlineMarkdown, markdown, scrollable } from './markdown.ts';
import { messageOf } from './reference/answers.ts';

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

export type Place = {
  base: string;
  simulatorUrl?: string | undefined;
  /** The demonstration store’s, where there is one. */
  token?: string | undefined;
};

/** @returns the guide in a language: its text with samples, error table and state diagram inserted */
export function guide(view: View, language: Language, place: Place): { contents: SafeHtml; body: SafeHtml } {
  const parts: Record<string, () => SafeHtml> = {
    states: () => html`<figure class="states">${scrollable(picture(language.translations))}</figure>`,
    errors: () => errorTable(view),
    client: () =>
      html`${['charge', 'receive', 'follow'].map((name) => clientSample(`client/${name}.ts`, serviceOf(view)))}`,
    token: () => code(`export TOKEN=${place.token ?? 'YOUR_TOKEN'}`, 'bash'),
    first: () =>
      samples('first', firstPayments, language.translations, (source) => filled(source, view, place)),
    verify: () => samples('verify', verifiers, language.translations),
    follow: () =>
      samples('follow', followers, language.translations, (source) => filled(source, view, place)),
  };
  const { body, headings } = markdown(filledGuide(view, language, place), anchors(place));
  const whole = String(body).replace(/<!-- (\w+) -->/g, (mark, name: string) =>
    String(parts[name]?.() ?? mark),
  );
  return { contents: contents(headings), body: html`<article class="guide">${trusted(whole)}</article>` };
}

/** @returns the guide's text with its addresses filled in */
export function filledGuide(view: View, { guide, path }: Language, place: Place): string {
  return filled(guide, view, place).replaceAll('{docs}', place.base + path);
}

function filled(text: string, view: View, place: Place): string {
  return withoutLocal(text, place)
    .replaceAll('{base_url}', serviceOf(view))
    .replaceAll('{bank_url}', place.simulatorUrl ?? '');
}

const serviceOf = ({ document }: View) => (document.servers?.[0]?.url ?? '').replace(/\/$/, '');

/** Leaves out what is between these marks, in the text or in a program, unless there is a simulated bank. */
function withoutLocal(text: string, { simulatorUrl }: Place): string {
  // bounded: the text is our own guide.
  const marked = /^(?:<!--|#|\/\/) local(?: -->)?\n(.*?)^(?:<!--|#|\/\/) \/local(?: -->)?\n/gms;
  return text.replace(marked, (_mark, local: string) => (simulatorUrl === undefined ? '' : local));
}

/** @returns the names of the guide's sections: the English ones in every language, so that links lead to the same place */
export function anchors(place: Place): string[] {
  return markdown(withoutLocal(english.guide, place)).headings.map(({ id }) => id);
}

/** @returns the state diagram with its labels translated */
function picture(texts: Translations): SafeHtml {
  return trusted(read('states.svg').replace(/(?<=>)[^<>]+(?=<)/g, (text) => texts[text] ?? text));
}

/** @returns a program of the client's, for this service */
function clientSample(file: string, service: string): SafeHtml {
  return code(readSample(file).replaceAll('http://localhost:3000', service), 'typescript');
}

function contents(headings: Heading[]): SafeHtml {
  const items = headings.filter(({ depth }) => depth === 2);
  return html`<ul>${items.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}

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

/** Follow the feed beside webhooks. */
export const followers: Sample[] = [
  { file: 'follow/follow.mjs', title: 'JavaScript', language: 'typescript' },
  { file: 'follow/follow.py', title: 'Python', language: 'python' },
  { file: 'follow/follow.php', title: 'PHP', language: 'php' },
  { file: 'follow/follow.sh', title: 'curl + jq', language: 'bash' },
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

/** @returns every error of the stores' operations once: status, exact message and condition */
export function errorTable({ document, words }: View): SafeHtml {
  const { errorTable: heads } = words;
  const rows = errorsOf(document).map(
    ({ status, message, when }) =>
      html`<tr><td><span class="status s${status[0]}">${status}</span></td><td><code>${message}</code></td><td>${inlineMarkdown([...when].join(' '))}</td></tr>`,
  );
  return scrollable(
    html`<table class="errors"><thead><tr><th>${heads.status}</th><th>${heads.message}</th><th>${heads.when}</th></tr></thead><tbody>${rows}</tbody></table>`,
  );
}

type ErrorRow = { status: string; message: string; when: Set<string> };

function errorsOf(document: OpenApiDocument): ErrorRow[] {
  const found = new Map<string, ErrorRow>();
  for (const { operation, isWebhook } of operationsOf(document)) {
    if (isWebhook) continue;
    for (const [status, response] of Object.entries(operation.responses)) {
      const media = resolve(document, response).content?.['application/json'];
      if (status < '400' || !media) continue;
      for (const { value, summary, description } of examplesOf(document, media)) {
        const message = messageOf(value);
        const key = `${status} ${message}`;
        const row = found.get(key) ?? { status, message, when: new Set() };
        found.set(key, { ...row, when: row.when.add(summary ?? description ?? '') });
      }
    }
  }
  return [...found.values()].sort((one, other) => one.status.localeCompare(other.status));
}
