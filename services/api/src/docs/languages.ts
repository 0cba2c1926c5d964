import { readFileSync } from 'node:fs';
import { docsFolder } from '../context.ts';
import type { OpenApiDocument } from './document.ts';
import { english as englishWords, portuguese as portugueseWords, type Words } from './words.ts';

/** The pages that are texts of our own: `/docs/guide` and so on. */
export const textNames = ['guide', 'compatibility', 'changes', 'security'] as const;
export type TextName = (typeof textNames)[number];

/** A language of the pages. */
export type Language = {
  /** For `<html lang>`. */
  lang: string;
  /** Its own name for itself. */
  name: string;
  /** Follows `/docs` in the pages’ paths. */
  path: string;
  words: Words;
  /** Texts of the OpenAPI document, the picture and the samples’ comments; none for the language they are written in. */
  translations: Translations;
  /** The texts of pages, in Markdown. */
  texts: Record<TextName, string>;
};

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

const readTexts = (folder: '' | 'pt/') =>
  Object.fromEntries(textNames.map((name) => [name, read(`${folder}${name}.md`)])) as Record<
    TextName,
    string
  >;

export const english: Language = {
  lang: 'en',
  name: 'English',
  path: '',
  words: englishWords,
  translations: {},
  texts: readTexts(''),
};

export const portuguese: Language = {
  lang: 'pt-BR',
  name: 'Português',
  path: '/pt',
  words: portugueseWords,
  translations: Object.assign(
    {},
    ...['reference', 'picture', 'samples'].map((name) => JSON.parse(read(`pt/${name}.json`))),
  ),
  texts: readTexts('pt/'),
};

/** Texts by the English one that they translate. */
export type Translations = Record<string, string>;

// Their content is the requests’ and responses’ own, the same in every language.
const untranslated = ['value', 'example', 'enum'];

/**
 * Translates the texts of a document: descriptions, summaries, and the titles of its tags.
 * A text without a translation stays as it is, and a test fails.
 */
export function translate(document: OpenApiDocument, texts: Translations): OpenApiDocument {
  const tags = document.tags?.map((tag) => ({ ...tag, 'x-displayName': texts[tag.name] ?? tag.name }));
  return translated({ ...document, ...(tags && { tags }) }, texts);
}

function translated<T>(node: T, texts: Translations): T {
  if (Array.isArray(node)) return node.map((one) => translated(one, texts)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => {
    if (isText(key, value)) return [key, texts[value] ?? value];
    return [key, untranslated.includes(key) ? value : translated(value, texts)];
  });
  return Object.fromEntries(entries) as T;
}

/** @returns every English text of a document that a reader sees, once */
export function textsOf(document: OpenApiDocument): string[] {
  const found = new Set((document.tags ?? []).map(({ name }) => name));
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      if (isText(key, value)) found.add(value);
      else if (!untranslated.includes(key)) collect(value);
    }
  };
  collect(document);
  return [...found];
}

const isText = (key: string, value: unknown): value is string =>
  typeof value === 'string' && (key === 'description' || key === 'summary');
