import { readFileSync } from 'node:fs';
import { docsFolder } from '../context.ts';
import { html, type SafeHtml, trusted } from '../pages/html.ts';
import { examplesOf, type OpenApiDocument, operationsOf, resolve, type View } from './document.ts';
import { english, type Language, type TextName, type Translations } from './languages.ts';
import { code, type Heading, inlineMarkdown, markdown, scrollable } from './markdown.ts';
import { messageOf } from './reference/schema.ts';

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

export type Place = {
  base: string;
  simulatorUrl?: string | undefined;
  /** The demonstration store’s, where there is one. */
  token?: string | undefined;
  /** Where a vulnerability of this installation is reported; without it the texts name support. */
  securityContact?: string | undefined;
};

/** @returns a page in a language: its text with samples, error table and state diagram inserted where it names them */
export function textPage(
  name: TextName,
  view: View,
  language: Language,
  place: Place,
): { contents: SafeHtml; body: SafeHtml } {
  const parts: Record<string, () => SafeHtml> = {
    states: () => html`<figure class="states">${scrollable(picture(language.translations))}</figure>`,
    errors: () => errorTable(view),
    client: () =>
      html`${['charge', 'receive', 'follow'].map((name) => clientSample(`client/${name}.ts`, serviceOf(view)))}`,
    token: () => code(`export TOKEN=${place.token ?? 'YOUR_TOKEN'}`, 'bash'),
    first: () =>
      samples('first', firstPayments, language.translations, (source) => filled(source, view, place)),
    verify: () => samples('verify', verifiers, language.translations),
    receive: () => samples('receive', receivers, language.translations),
    follow: () =>
      samples('follow', followers, language.translations, (source) => filled(source, view, place)),
  };
  const { body, headings } = markdown(filledText(name, view, language, place), anchors(name, place));
  const whole = String(body).replace(/<!-- (\w+) -->/g, (mark, part: string) =>
    String(parts[part]?.() ?? mark),
  );
  return { contents: contents(headings), body: html`<article class="guide">${trusted(whole)}</article>` };
}

/** @returns a page's text with its addresses filled in */
export function filledText(name: TextName, view: View, { texts, path }: Language, place: Place): string {
  return filled(texts[name], view, place).replaceAll('{docs}', place.base + path);
}

/** @returns a text or program with the addresses of the service, the simulated bank and the contact filled in */
export function filled(text: string, view: View, place: Place): string {
  return withoutAbsent(text, place)
    .replaceAll('{base_url}', serviceOf(view))
    .replaceAll('{bank_url}', place.simulatorUrl ?? '')
    .replaceAll('{security_contact}', place.securityContact ?? '');
}

/** @returns the service's address, without a slash at its end */
export const serviceOf = ({ document }: View) => (document.servers?.[0]?.url ?? '').replace(/\/$/, '');

/**
 * Leaves out what is between two marks, in the text or in a program, unless there is what it is for: `local` is for a
 * simulated bank, `contact` for a contact, `support` for an installation without one.
 */
function withoutAbsent(text: string, { simulatorUrl, securityContact }: Place): string {
  const isThere: Record<string, boolean> = {
    local: simulatorUrl !== undefined,
    contact: securityContact !== undefined,
    support: securityContact === undefined,
  };
  // bounded: the text is our own.
  const marked =
    /^(?:<!--|#|\/\/) (local|contact|support)(?: -->)?\n(.*?)^(?:<!--|#|\/\/) \/\1(?: -->)?\n/gms;
  return text.replace(marked, (_mark, name: string, part: string) => (isThere[name] ? part : ''));
}

/** @returns the names of a text's sections: the English ones in every language, so that links lead to the same place */
export function anchors(name: TextName, place: Place): string[] {
  return markdown(withoutAbsent(english.texts[name], place)).headings.map(({ id }) => id);
}

/** @returns the state diagram, an SVG, with its labels translated */
function picture(texts: Translations): SafeHtml {
  return trusted(translatedPicture(texts));
}

/** @returns the state diagram's text with its labels translated */
export const translatedPicture = (texts: Translations): string =>
  read('states.svg').replace(/(?<=>)[^<>]+(?=<)/g, (text) => texts[text] ?? text);

const clientSample = (file: string, service: string) => code(clientProgram(file, service), 'typescript');

/** @returns a program of the client's, for this service */
export const clientProgram = (file: string, service: string): string =>
  readSample(file).replaceAll('http://localhost:3000', service);

function contents(headings: Heading[]): SafeHtml {
  const items = headings.filter(({ depth }) => depth === 2);
  return html`<ul>${items.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}

/** A program of the guide's. Tests run these files. */
export type Sample = { file: string; title: string; language: string };

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

/** Receive a first webhook. */
export const receivers: Sample[] = [
  { file: 'verify/receive.mjs', title: 'JavaScript', language: 'typescript' },
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

/** @returns a program with its comments translated */
export function translateComments(source: string, texts: Translations): string {
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

type ErrorRow = { status: string; code: string; message: string; when: Set<string> };

/** @returns every error of the stores' operations once, by its status */
export function errorsOf(document: OpenApiDocument): ErrorRow[] {
  const found = new Map<string, ErrorRow>();
  for (const { operation, isWebhook } of operationsOf(document)) {
    if (isWebhook) continue;
    for (const [status, response] of Object.entries(operation.responses)) {
      const media = resolve(document, response).content?.['application/json'];
      if (status < '400' || !media) continue;
      for (const { 'x-error-code': code = '', value, summary, description } of examplesOf(document, media)) {
        const message = messageOf(value);
        const key = `${status} ${message}`;
        const row = found.get(key) ?? { status, code, message, when: new Set() };
        found.set(key, { ...row, when: row.when.add(summary ?? description ?? '') });
      }
    }
  }
  return [...found.values()].sort((one, other) => one.status.localeCompare(other.status));
}
