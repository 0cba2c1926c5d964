import { readFileSync } from 'node:fs';
import { html, type SafeHtml, trusted } from '../pages/html.ts';
import { docsFolder } from '../shipped-files.ts';
import { errorTable } from './error-table.ts';
import { english, type Language } from './languages.ts';
import { code, type Heading, markdown, scrollable } from './markdown.ts';
import type { View } from './reference/document.ts';
import { firstPayments, readSample, samples, verifiers } from './samples.ts';
import type { Translations } from './translate.ts';

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

export type Place = {
  base: string;
  simulatorUrl?: string | undefined;
  /** Of the demonstration store, where there is one. */
  token?: string | undefined;
};

/** @returns the guide in a language: its text with samples, error table and state diagram inserted */
export function guide(view: View, language: Language, place: Place): { contents: SafeHtml; body: SafeHtml } {
  const parts: Record<string, () => SafeHtml> = {
    states: () => html`<figure class="states">${scrollable(picture(language.translations))}</figure>`,
    errors: () => errorTable(view),
    client: () =>
      html`${['client/charge.ts', 'client/receive.ts'].map((file) => clientSample(file, serviceOf(view)))}`,
    token: () => code(`export TOKEN=${place.token ?? 'YOUR_TOKEN'}`, 'bash'),
    first: () =>
      samples('first', firstPayments, language.translations, (source) => filled(source, view, place)),
    verify: () => samples('verify', verifiers, language.translations),
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

/** What is between these marks, in the text or in a program, is for a machine with a simulated bank. */
function withoutLocal(text: string, { simulatorUrl }: Place): string {
  // bounded: the text is our own guide.
  const marked = /^(?:<!--|#|\/\/) local(?: -->)?\n(.*?)^(?:<!--|#|\/\/) \/local(?: -->)?\n/gms;
  return text.replace(marked, (_mark, local: string) => (simulatorUrl === undefined ? '' : local));
}

/** @returns the text below each heading of a guide */
export function sectionsOf(text: string, place: Place): { id: string; title: string; text: string }[] {
  const ids = anchors(place);
  const parts = text.split(/^#+ /m).slice(1);
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

/** @returns a program of the client's, for this service */
function clientSample(file: string, service: string): SafeHtml {
  return code(readSample(file).replaceAll('http://localhost:3000', service), 'typescript');
}

function contents(headings: Heading[]): SafeHtml {
  const items = headings.filter(({ depth }) => depth === 2);
  return html`<ul>${items.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul>`;
}
