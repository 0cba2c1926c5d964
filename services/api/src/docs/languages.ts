import { readFileSync } from 'node:fs';
import { docsFolder } from '../shipped-files.ts';
import type { Translations } from './translate.ts';
import { english as englishWords, type Words } from './words/english.ts';
import { portuguese as portugueseWords } from './words/portuguese.ts';

/** A language of the pages. */
export type Language = {
  /** For `<html lang>`. */
  lang: string;
  /** Its own name for itself. */
  name: string;
  /** Follows `/docs` in the pages’ paths. */
  path: string;
  words: Words;
  /** Of the OpenAPI document, the picture and the samples’ comments; none for the language they are written in. */
  translations: Translations;
  /** The guide’s text, in Markdown. */
  guide: string;
};

const read = (name: string) => readFileSync(new URL(name, docsFolder), 'utf8');

export const english: Language = {
  lang: 'en',
  name: 'English',
  path: '',
  words: englishWords,
  translations: {},
  guide: read('guide.md'),
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
  guide: read('pt/guide.md'),
};
