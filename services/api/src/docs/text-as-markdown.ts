import { extname } from 'node:path/posix';
import type { View } from './document.ts';
import {
  clientProgram,
  errorsOf,
  filled,
  filledText,
  firstPayments,
  followers,
  type Place,
  readSample,
  receivers,
  type Sample,
  serviceOf,
  translateComments,
  translatedPicture,
  verifiers,
} from './guide.ts';
import type { Language, TextName } from './languages.ts';

/**
 * @returns a page as Markdown, for programs and their authors' assistants: complete by itself, with whole addresses.
 * It has no token, also where the page shows the demonstration store's: so anybody may keep a copy.
 */
export function textAsMarkdown(name: TextName, view: View, language: Language, place: Place): string {
  const { translations } = language;
  const docs = docsAddress(view, language);
  const programs = (list: Sample[]) =>
    list
      .map(({ file, title }) => {
        const source = translateComments(filled(readSample(file), view, place), translations);
        return `**${title}**\n\n${fence(source, file)}`;
      })
      .join('\n\n');
  const parts: Record<string, () => string> = {
    states: () => /<desc[^<>]*>([^<]+)/.exec(translatedPicture(translations))?.[1] ?? '',
    errors: () => errorTable(view),
    client: () =>
      ['client/charge.ts', 'client/receive.ts', 'client/follow.ts']
        .map((file) => fence(clientProgram(file, serviceOf(view)), file))
        .join('\n\n'),
    token: () => fence('export TOKEN=YOUR_TOKEN', 'token.sh'),
    first: () => programs(firstPayments),
    verify: () => programs(verifiers),
    receive: () => programs(receivers),
    follow: () => programs(followers),
  };
  const text = filledText(name, view, language, { ...place, base: '{docs}', token: undefined });
  return text
    .replace(/<!-- (\w+) -->/g, (mark, part: string) => parts[part]?.() ?? mark)
    .replace(/\]\((#[^)\]]+)\)/g, `](${docs}/${name}$1)`)
    .replace(/\{docs\}(?:\/pt)?(\/\w+)?/g, (_place, page = '/reference') => `${docs}${page}.md`);
}

/** @returns the whole address of the pages of a language */
export const docsAddress = (view: View, { path }: Language): string => `${serviceOf(view)}/docs${path}`;

const languages: Record<string, string> = {
  '.sh': 'bash',
  '.mjs': 'js',
  '.ts': 'ts',
  '.py': 'python',
  '.php': 'php',
};

/** @returns a block of code in Markdown */
const fence = (source: string, file: string) => `\`\`\`${languages[extname(file)] ?? ''}\n${source}\n\`\`\``;

function errorTable({ document, words: { errorTable: heads } }: View): string {
  const rows = errorsOf(document).map(
    ({ status, code, message, when }) =>
      `| ${status} | \`${code}\` | \`${message}\` | ${cell([...when].join(' '))} |`,
  );
  return [
    `| ${heads.status} | \`Error-Code\` | ${heads.message} | ${heads.when} |`,
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** @returns a text that stays within its cell of a table */
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
