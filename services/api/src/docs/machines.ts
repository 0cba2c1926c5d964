import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { sendUnlessKept } from '../pages/assets.ts';
import type { View } from './document.ts';
import type { Place } from './guide.ts';
import type { Language, TextName } from './languages.ts';
import { docsAddress, referenceAsMarkdown, textAsMarkdown } from './reference/reference-as-markdown.ts';

/** A page or text as it is sent. Each is made once, so that readers of the docs do not slow payments down. */
export type Rendered = { text: string; gzipped: Buffer; etag: string };

/** @returns a renderer that reuses its last page for the same argument */
export function lastOf(render: (argument: string | undefined) => string): (argument?: string) => Rendered {
  let last: { argument: string | undefined; page: Rendered } | undefined;
  return (argument) => {
    if (!last || last.argument !== argument) {
      const text = render(argument);
      const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 16)}"`;
      last = { argument, page: { text, gzipped: gzipSync(text), etag } };
    }
    return last.page;
  };
}

/** Sends what is the same for everybody, or a 304 to those who have it. Copies may be used for an hour. */
function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  { text, gzipped, etag }: Rendered,
  type: string,
): FastifyReply {
  void reply.type(`${type}; charset=utf-8`).headers({ 'cache-control': 'public, max-age=3600', etag });
  return sendUnlessKept(request, reply, { content: text, gzipped }, etag);
}

const hide = { schema: { hide: true } };

/** Serves a text, which is made once, for its first reader. */
export function serveOnce(app: FastifyInstance, path: string, type: string, render: () => string): void {
  const rendered = lastOf(render);
  app.get(path, hide, async (request, reply) => sendText(request, reply, rendered(), type));
}

type MachineOptions = {
  /** The languages of the pages, the first one for `llms.txt` itself. */
  languages: readonly Language[];
  /** The pages that are texts. */
  texts: readonly TextName[];
  viewIn: (language: Language) => View;
  place: Place;
};

/**
 * Serves each page of the docs as Markdown, at its address and `.md`, and their list at `/llms.txt` (llmstxt.org), for
 * programs and the assistants that write them. Nothing of it needs a token or has one.
 */
export function machineDocs(app: FastifyInstance, options: MachineOptions): void {
  const { languages, texts, viewIn, place } = options;
  serveOnce(app, '/llms.txt', 'text/plain', () => llmsText(options));
  for (const language of languages) {
    const base = `/docs${language.path}`;
    serveOnce(app, `${base}/reference.md`, 'text/markdown', () => reference(options, language));
    for (const name of texts)
      serveOnce(app, `${base}/${name}.md`, 'text/markdown', () =>
        textAsMarkdown(name, viewIn(language), language, place),
      );
  }
}

function reference({ viewIn, texts }: MachineOptions, language: Language): string {
  const view = viewIn(language);
  const pages = texts.map(
    (name) => `[${view.words.pages[name].title}](${docsAddress(view, language)}/${name}.md)`,
  );
  const documents = view.words.aboutDocument.replaceAll(
    '{documents}',
    docsAddress(view, { ...language, path: '' }),
  );
  return referenceAsMarkdown(
    view,
    [documents, ...(pages.length > 0 ? [`${pages.join(' · ')}.`] : [])].join(' '),
  );
}

/** @returns the list of all that there is to read, in the form of llmstxt.org: title, summary, what to know, links */
function llmsText({ languages, texts, viewIn }: MachineOptions): string {
  const [language, ...others] = languages as [Language, ...Language[]];
  const view = viewIn(language);
  const { title, description = '' } = view.document.info;
  const [summary = '', ...details] = description.split('\n\n');
  const server = view.document.servers?.[0]?.url;
  const docs = docsAddress(view, language);
  const isForStores = texts.length > 0;
  const blocks = [
    `# ${title}`,
    `> ${summary}`,
    ...details,
    ...(isForStores && server ? [`${view.words.baseUrl}: \`${server}\``] : []),
    ...[language, ...others].flatMap((one) => [
      `## ${one === language ? 'Docs' : one.name}`,
      links(viewIn(one), one, texts),
    ]),
    '## OpenAPI',
    [
      `- [OpenAPI 3.1, JSON](${docs}/json): the document that the reference is made from`,
      `- [OpenAPI 3.1, YAML](${docs}/yaml): the same`,
      ...(isForStores
        ? [`- [OpenAPI 3.0, JSON](${docs}/openapi-3.0.json): for tools that don’t read 3.1`]
        : []),
    ].join('\n'),
    ...(isForStores
      ? [
          '## Optional',
          [
            `- [Requests for Postman](${docs}/postman.json): a collection`,
            `- [Requests as a .http file](${docs}/requests.http): for editors`,
          ].join('\n'),
        ]
      : []),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function links(view: View, language: Language, texts: readonly TextName[]): string {
  const { words } = view;
  const docs = docsAddress(view, language);
  const all = [
    ...texts.map((name) => ({ path: name, ...words.pages[name] })),
    { path: 'reference', title: words.reference, about: words.aboutReference },
  ];
  return all.map(({ path, title, about }) => `- [${title}](${docs}/${path}.md): ${about}`).join('\n');
}
