import { type Located, operationsOf, resolve, type View } from './document.ts';
import { anchors, filledText, type Place } from './guide.ts';
import { type Language, textNames } from './languages.ts';
import { fieldsIn } from './reference/schema.ts';

/** A part of a page that a search can find. */
export type SearchEntry = { lang: string; href: string; title: string; text: string };

/** @returns what a reader of a language can search: operations with their fields, and the texts' sections */
export function searchEntries(view: View, language: Language, place: Place): SearchEntry[] {
  const { lang, path } = language;
  const at = place.base + path;
  const operations = operationsOf(view.document).map((located) => ({
    lang,
    href: `${at}#${located.operation.operationId}`,
    title: located.operation.summary ?? located.operation.operationId,
    text: operationText(view, located),
  }));
  const sections = textNames.flatMap((name) =>
    sectionsOf(filledText(name, view, language, place), anchors(name, place)).map(({ id, title, text }) => ({
      lang,
      href: `${at}/${name}#${id}`,
      title,
      text,
    })),
  );
  return [...operations, ...sections];
}

function operationText(view: View, { path, operation }: Located): string {
  const { document } = view;
  const { description = '', parameters = [], requestBody } = operation;
  const named = parameters.map((parameter) => resolve(document, parameter));
  const bodies = requestBody ? Object.values(resolve(document, requestBody).content) : [];
  const answers = Object.values(operation.responses).flatMap((one) =>
    Object.values(resolve(document, one).content ?? {}),
  );
  const fields = [...bodies, ...answers].flatMap(({ schema }) => (schema ? fieldsIn(view, schema) : []));
  const words = [...named, ...fields].map(({ name, description: meaning = '' }) => `${name} ${meaning}`);
  return [path, description, ...new Set(words)].join(' ');
}

/** @returns the text below each heading */
function sectionsOf(text: string, ids: string[]): { id: string; title: string; text: string }[] {
  const parts = text.split(/^#+ /m).slice(1);
  return parts.map((part, index) => {
    const [title = '', ...lines] = part.split('\n');
    return { id: ids[index] ?? '', title, text: lines.join(' ') };
  });
}
