import { type OpenApiDocument, operationsOf, type View } from '@payments/api/docs/document';
import { english, type Language, portuguese, textNames, translate } from '@payments/api/docs/languages';
import {
  docsAddress,
  objectsOf,
  operation,
  textAsMarkdown,
} from '@payments/api/docs/reference/reference-as-markdown';
import { buildPublicApp } from '@payments/api/public/app';
import MiniSearch from 'minisearch';
import { documentsContext } from '../documents-context.ts';

/** A part of the docs that a search finds: a section of a page, or an operation. */
export type Section = { lang: string; title: string; address: string; text: string };

export type Docs = {
  /** @returns the best matches, the best one first */
  search(query: string, lang: string, most: number): Section[];
  /** @returns an operation with its objects as Markdown; undefined for an unknown one */
  operation(name: string): string | undefined;
  /** `createPayment: POST /api-public/payments`, and so on. */
  operations: string[];
};

/**
 * Reads the docs from their sources: nothing needs to run.
 * @param simulatorUrl the simulated bank that the guide names; undefined names none
 */
export async function readDocs(publicUrl: string, simulatorUrl: string | undefined): Promise<Docs> {
  const { context, log, close } = documentsContext({ publicUrl, simulatorUrl });
  const app = await buildPublicApp(context, log);
  await app.ready();
  const document = app.swagger() as unknown as OpenApiDocument;
  await app.close();
  await close();
  const viewIn = ({ translations, words }: Language): View => ({
    document: translate(document, translations),
    words,
  });
  const sections = [english, portuguese].flatMap((language) =>
    sectionsIn(viewIn(language), language, simulatorUrl),
  );
  const view = viewIn(english);
  const named = operationsOf(document).map((located) => ({
    located,
    id: located.operation.operationId,
    path: located.isWebhook ? located.path : `${located.method.toUpperCase()} ${located.path}`,
  }));
  return {
    search: searchIn(sections),
    operations: named.map(({ id, path }) => `${id}: ${path}`),
    operation: (name) => {
      const found = named.find(({ id, path }) => [id, path].includes(name.trim()));
      return (
        found &&
        [...operation(view, found.located), ...objectsOf(view, found.located)].filter(Boolean).join('\n\n')
      );
    },
  };
}

function sectionsIn(view: View, language: Language, simulatorUrl: string | undefined): Section[] {
  const { lang } = language;
  const docs = docsAddress(view, language);
  const place = { base: '/docs', simulatorUrl };
  const pages = textNames.flatMap((name) =>
    sectionsOf(textAsMarkdown(name, view, language, place)).map((section) => ({
      lang,
      address: `${docs}/${name}`,
      ...section,
    })),
  );
  const operations = operationsOf(view.document).map((located) => ({
    lang,
    title: located.operation.summary ?? located.operation.operationId,
    address: `${docs}#${located.operation.operationId}`,
    text: operation(view, located).slice(1).join('\n\n'),
  }));
  return [...pages, ...operations];
}

/** @returns the text below each heading; a comment of a program is none */
function sectionsOf(markdown: string): { title: string; text: string }[] {
  const sections: { title: string; lines: string[] }[] = [];
  let isProgram = false;
  for (const line of markdown.split('\n')) {
    if (line.startsWith('```')) isProgram = !isProgram;
    const [, title] = (!isProgram && /^#{1,3} (.+)$/.exec(line)) || [];
    if (title === undefined) sections.at(-1)?.lines.push(line);
    else sections.push({ title, lines: [] });
  }
  return sections.map(({ title, lines }) => ({ title, text: lines.join('\n').trim() }));
}

/** Readers leave accents out. */
const plain = (term: string) => term.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

function searchIn(sections: Section[]): Docs['search'] {
  const index = new MiniSearch<Section & { id: number }>({
    fields: ['title', 'text'],
    processTerm: plain,
    searchOptions: { boost: { title: 3 }, prefix: true, fuzzy: 0.15 },
  });
  index.addAll(sections.map((section, id) => ({ id, ...section })));
  return (query, lang, most) =>
    index
      .search(query)
      .map(({ id }) => sections[id as number] as Section)
      .filter((section) => section.lang === lang)
      .slice(0, most);
}
