import { Type } from '@sinclair/typebox';

export const CsvTable = Type.String({
  $id: 'CsvTable',
  description:
    'CSV by RFC 4180 in UTF-8, with a header row. A text that begins with `=`, `+`, `-` or `@` gets a leading apostrophe.',
});

/** @returns a successful CSV response for a route schema's `response` */
export function csvAnswerOf(description: string, columns: readonly string[]) {
  const content = { 'text/csv': { schema: Type.Ref('CsvTable') } };
  return { description: `${description} Columns: \`${columns.join(',')}\`.`, content };
}
