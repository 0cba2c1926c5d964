import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsFolder } from '../context.ts';
import { pagePolicy } from '../http/headers.ts';
import { readAssets, sendZipped, serveAssets } from '../pages/assets.ts';
import type { SafeHtml } from '../pages/html.ts';
import type { OpenApiDocument, View } from './document.ts';
import { guide } from './guide.ts';
import { english, type Language, portuguese, translate } from './languages.ts';
import { layout } from './layout.ts';
import { reference } from './reference/reference.ts';
import { type SearchEntry, searchEntries } from './search-entries.ts';
import { shippedDocuments } from './shipped-documents.ts';

type PagesOptions = {
  /** The listener's address. Its path, if any, precedes the pages' paths. */
  url: string;
  /** Whether stores read the pages: then there is a guide, and all in Portuguese, too. */
  isForStores: boolean;
  /** File with the token that the page offers; undefined offers none. */
  tokenFile: string | undefined;
  /** Where the guide's readers pay test payments; without it the guide says nothing of one. */
  simulatorUrl?: string | undefined;
};

/**
 * Serves the reference at `/docs`, the guide at `/docs/guide`, both in Portuguese below `/docs/pt`, and the document
 * at `/docs/json` and `/docs/yaml`, for stores also in OpenAPI 3.0.
 */
export const docsPages: FastifyPluginAsyncTypebox<PagesOptions> = async (app, options) => {
  const { url, isForStores } = options;
  const base = `${new URL(url, 'http://localhost').pathname.replace(/\/$/, '')}/docs`;
  const assets = readAssets(docsFolder, ['assets/docs.css', 'assets/docs.js', 'assets/icon.svg']);
  const hide = { schema: { hide: true } };
  const languages = isForStores ? [english, portuguese] : [english];
  for (const language of languages) languagePages(language);

  app.get('/docs/json', hide, async () => app.swagger());
  app.get('/docs/yaml', hide, async (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(app.swagger({ yaml: true })),
  );
  if (isForStores) {
    const search = lastOf(() => JSON.stringify(languages.flatMap(entriesIn)));
    app.get('/docs/search.json', hide, async (request, reply) =>
      show(request, reply.type('application/json; charset=utf-8'), search(), 'no-cache'),
    );
    shippedDocuments(app);
  }
  serveAssets(app, assets, '/docs/assets');

  function entriesIn(language: Language): SearchEntry[] {
    return searchEntries(viewIn(language), language, { base, ...options });
  }

  function viewIn({ translations, words }: Language): View {
    return { document: translate(app.swagger() as unknown as OpenApiDocument, translations), words };
  }

  function languagePages(language: Language): void {
    const { path, words } = language;
    const page = (name: '' | '/guide', parts: { contents: SafeHtml; body: SafeHtml }) => {
      const product = viewIn(language).document.info.title;
      const title = name === '' ? product : `${words.guide} · ${product}`;
      return layout({ ...parts, product, title, base, page: name, language, isForStores, assets });
    };
    // Each page is rendered once, so that readers of the docs do not slow payments down.
    const referenceFor = lastOf((token) =>
      page('', reference(viewIn(language), { base, path, hasGuide: isForStores, token })),
    );
    const guideFor = lastOf((token) =>
      page('/guide', guide(viewIn(language), language, { base, ...options, token })),
    );
    const shown = (pageFor: typeof guideFor) => async (request: FastifyRequest, reply: FastifyReply) => {
      const token = await offeredToken(options.tokenFile);
      return show(request, reply, pageFor(token), token === undefined ? 'no-cache' : 'no-store');
    };
    app.get(`/docs${path}`, hide, shown(referenceFor));
    app.get(`/docs${path}/`, hide, shown(referenceFor));
    if (isForStores) app.get(`/docs${path}/guide`, hide, shown(guideFor));
  }
};

/**
 * Reads the token that the docs page offers. `npm start` keeps it in a file with its demonstration store.
 * Each request reads the file, since the token can appear or change while the service runs.
 * @param file undefined offers no token, the default
 */
async function offeredToken(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const { token } = JSON.parse(await readFile(file, 'utf8')) as { token?: unknown };
    return typeof token === 'string' ? token : undefined;
  } catch {
    return undefined;
  }
}

// `blob:` shows the image of a QR response.
const policy = pagePolicy({ images: "'self' blob:" });

type Rendered = { text: string; gzipped: Buffer };

/** Sends a page, or another text whose type is set, zipped to those who take that. */
function show(request: FastifyRequest, reply: FastifyReply, page: Rendered, caching: string): FastifyReply {
  void reply.headers({ 'content-security-policy': policy, 'cache-control': caching });
  if (!reply.hasHeader('content-type')) void reply.type('text/html; charset=utf-8');
  return sendZipped(request, reply, { content: page.text, gzipped: page.gzipped });
}

/** @returns a renderer that reuses its last page for the same argument */
function lastOf(render: (token: string | undefined) => string): (token?: string) => Rendered {
  let last: { token: string | undefined; page: Rendered } | undefined;
  return (token) => {
    if (!last || last.token !== token) {
      const text = render(token);
      last = { token, page: { text, gzipped: gzipSync(text) } };
    }
    return last.page;
  };
}
