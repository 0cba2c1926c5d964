import { Type } from '@sinclair/typebox';

export const CsvTable = Type.String({
  $id: 'CsvTable',
  description:
    'CSV by RFC 4180 in UTF-8, with a header row. An apostrophe goes before each `=`, `+`, `-` and `@` that begins a text, ' +
    'or follows a comma, semicolon, tab, line break or quote in it.',
});

/** @returns a successful CSV response for a route schema's `response` */
export function csvAnswerOf(description: string, columns: readonly string[]) {
  const content = { 'text/csv': { schema: Type.Ref('CsvTable') } };
  return { description: `${description} Columns: \`${columns.join(',')}\`.`, content };
}
