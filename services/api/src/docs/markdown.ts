import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import { Marked } from 'marked';
import { html, type SafeHtml, trusted } from '../pages/html.ts';

const languages = { bash, json, php, python, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

/** A heading, for the table of contents. */
export type Heading = { depth: number; title: string; id: string };

/**
 * Renders a text. It trusts the text: use it for our own texts only.
 * @param anchors names for the headings in their order; by default each is named by its title
 * @returns the HTML and the headings
 */
export function markdown(
  text: string,
  anchors: readonly string[] = [],
): { body: SafeHtml; headings: Heading[] } {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: title }) {
        const id = anchors[headings.length] ?? slug(title);
        headings.push({ depth, title, id });
        return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${this.parser.parseInline(tokens)}</a></h${depth}>\n`;
      },
      code: ({ text: source, lang }) => `${code(source, lang)}\n`,
      // A wide table scrolls in its own frame, also by keyboard.
      table(token) {
        const rows = (cells: typeof token.header, tag: string) =>
          `<tr>${cells.map((cell) => `<${tag}>${this.parser.parseInline(cell.tokens)}</${tag}>`).join('')}</tr>`;
        const head = rows(token.header, 'th');
        const body = token.rows.map((row) => rows(row, 'td')).join('');
        return scrollable(trusted(`<table><thead>${head}</thead><tbody>${body}</tbody></table>`)).toString();
      },
    },
  });
  return { body: trusted(marked.parse(text, { async: false })), headings };
}

/** @returns a line of text with its emphasis and code */
export const inlineMarkdown = (text: string): SafeHtml =>
  trusted(new Marked().parseInline(text, { async: false }));

/** @returns a block of code with syntax highlighting */
export function code(source: string, language = ''): SafeHtml {
  const body = hljs.getLanguage(language)
    ? trusted(hljs.highlight(source, { language }).value)
    : html`${source}`;
  return html`<pre class="code" tabindex="0"><code>${body}</code></pre>`;
}

/** @returns the content in a scrolling frame, for phones */
export const scrollable = (content: SafeHtml): SafeHtml =>
  html`<div class="scroll" tabindex="0">${content}</div>`;

/** @returns the anchor name of a title */
export function slug(title: string): string {
  const plain = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
  return plain.replace(/^-|-$/g, '');
}
