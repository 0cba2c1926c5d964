import { readFileSync } from 'node:fs';
import { docsFolder } from '../context.ts';
import type { OpenApiDocument } from './document.ts';

/** The words of the pages themselves. The texts of operations and fields are the OpenAPI document’s. */
export const englishWords = {
  skip: 'Skip to content',
  documents: 'Documents',
  languages: 'Languages',
  onThisPage: 'On this page',
  reference: 'Reference',
  guide: 'Guide',
  more: 'More',
  asMarkdown: 'This page as Markdown',
  pages: {
    guide: {
      title: 'Integration guide',
      about: 'from the first payment to going live, with programs in four languages; read this first',
    },
    compatibility: {
      title: 'What may change',
      about: 'what programs may rely on, what may change at any time, and how long what goes goes on',
    },
    changes: { title: 'Changes of the interface', about: 'what changed for programs, by date' },
    security: { title: 'Report a vulnerability', about: 'to whom, how, and what happens then' },
  },
  aboutReference: 'every operation, webhook, field and error, made from the OpenAPI document',
  aboutGuide:
    'The [guide]({docs}/guide) says how it all works together, from the first payment to going live.',
  aboutDocument: 'The OpenAPI document, for tools: [JSON]({documents}/json), [YAML]({documents}/yaml).',
  aboutEarlierDocument: 'Tools that don’t read OpenAPI 3.1 read [3.0]({documents}/openapi-3.0.json).',
  aboutCollections:
    'The requests, for editors as a [.http file]({documents}/requests.http), and for [Postman]({documents}/postman.json).',
  token: 'Bearer token',
  tokenOffered: 'The token of this installation’s demonstration store. “Try it” works at once.',
  tokenKept:
    '“Try it” sends this token. Only this browser tab keeps it. With a test store’s, which begins with pp_test_, no real money moves.',
  webhooks: 'Webhooks',
  operations: 'Operations',
  objects: 'Objects',
  version: 'Version',
  baseUrl: 'Base URL',
  sharedErrors: 'Errors of all operations',
  aboutSharedErrors: 'These errors are the same wherever they occur.',
  pathParameters: 'Path parameters',
  queryParameters: 'Query parameters',
  headers: 'Headers',
  body: 'Body',
  request: 'Request',
  responses: 'Responses',
  yourResponse: 'Your response',
  alsoErrors: 'Also',
  tryIt: 'Try it',
  tryOperation: 'Try:',
  fields: 'Fields',
  fieldsOf: (name: string) => `Fields of ${name}`,
  required: 'required',
  or: 'or',
  and: 'and',
  any: 'any',
  arrayOf: (items: string) => `array of ${items}`,
  oneOf: 'one of',
  oneOfSoFar: 'so far one of',
  matches: 'matches',
  byDefault: 'default',
  bounds: {
    minimum: (bound: unknown) => `at least ${bound}`,
    exclusiveMinimum: (bound: unknown) => `more than ${bound}`,
    maximum: (bound: unknown) => `at most ${bound}`,
    exclusiveMaximum: (bound: unknown) => `less than ${bound}`,
    minLength: (bound: unknown) => `at least ${bound} character${bound === 1 ? '' : 's'}`,
    maxLength: (bound: unknown) => `at most ${bound} characters`,
    minItems: (bound: unknown) => `at least ${bound} items`,
    maxItems: (bound: unknown) => `at most ${bound} items`,
    multipleOf: (bound: unknown) => `a multiple of ${bound}`,
  },
  errorTable: { status: 'Status', message: 'Message', when: 'When' },
};

export type Words = typeof englishWords;

/** The same words in Portuguese. The compiler finds a missing one. */
export const portugueseWords: Words = {
  skip: 'Ir para o conteúdo',
  documents: 'Documentos',
  languages: 'Idiomas',
  onThisPage: 'Nesta página',
  reference: 'Referência',
  guide: 'Guia',
  more: 'Mais',
  asMarkdown: 'Esta página em Markdown',
  pages: {
    guide: {
      title: 'Guia de integração',
      about: 'do primeiro pagamento à entrada em produção, com programas em quatro linguagens; leia primeiro',
    },
    compatibility: {
      title: 'O que pode mudar',
      about:
        'com o que programas podem contar, o que muda a qualquer momento, e por quanto tempo o que acaba continua',
    },
    changes: { title: 'Mudanças da interface', about: 'o que mudou para programas, por data' },
    security: { title: 'Informar uma vulnerabilidade', about: 'a quem, como, e o que acontece depois' },
  },
  aboutReference: 'cada operação, webhook, campo e erro, gerada do documento OpenAPI',
  aboutGuide:
    'O [guia]({docs}/guide) explica como tudo funciona em conjunto, do primeiro pagamento à entrada em produção.',
  aboutDocument: 'O documento OpenAPI, para ferramentas: [JSON]({documents}/json), [YAML]({documents}/yaml).',
  aboutEarlierDocument:
    'Ferramentas que não leem OpenAPI 3.1 leem a versão [3.0]({documents}/openapi-3.0.json).',
  aboutCollections:
    'As requisições, para editores em um [arquivo .http]({documents}/requests.http), e para o [Postman]({documents}/postman.json).',
  token: 'Token',
  tokenOffered: 'O token da loja de demonstração desta instalação. “Testar” já funciona.',
  tokenKept:
    '“Testar” envia este token. Ele fica somente nesta aba do navegador. Com o de uma loja de testes, que começa com pp_test_, nenhum dinheiro de verdade se move.',
  webhooks: 'Webhooks',
  operations: 'Operações',
  objects: 'Objetos',
  version: 'Versão',
  baseUrl: 'URL base',
  sharedErrors: 'Erros de todas as operações',
  aboutSharedErrors: 'Estes erros são os mesmos onde quer que ocorram.',
  pathParameters: 'Parâmetros do caminho',
  queryParameters: 'Parâmetros da consulta',
  headers: 'Cabeçalhos',
  body: 'Corpo',
  request: 'Requisição',
  responses: 'Respostas',
  yourResponse: 'A sua resposta',
  alsoErrors: 'E também',
  tryIt: 'Testar',
  tryOperation: 'Testar:',
  fields: 'Campos',
  fieldsOf: (name) => `Campos de ${name}`,
  required: 'obrigatório',
  or: 'ou',
  and: 'e',
  any: 'qualquer',
  arrayOf: (items) => `lista de ${items}`,
  oneOf: 'um de',
  oneOfSoFar: 'por enquanto um de',
  matches: 'no padrão',
  byDefault: 'padrão',
  bounds: {
    minimum: (bound) => `no mínimo ${bound}`,
    exclusiveMinimum: (bound) => `mais de ${bound}`,
    maximum: (bound) => `no máximo ${bound}`,
    exclusiveMaximum: (bound) => `menos de ${bound}`,
    minLength: (bound) => `no mínimo ${bound} ${bound === 1 ? 'caractere' : 'caracteres'}`,
    maxLength: (bound) => `no máximo ${bound} caracteres`,
    minItems: (bound) => `no mínimo ${bound} itens`,
    maxItems: (bound) => `no máximo ${bound} itens`,
    multipleOf: (bound) => `um múltiplo de ${bound}`,
  },
  errorTable: { status: 'Status', message: 'Mensagem', when: 'Quando' },
};

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
