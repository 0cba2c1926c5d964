import { readFile } from 'node:fs/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { docsFolder } from '../context.ts';
import { pagePolicy } from '../http/headers.ts';
import { readAssets, sendZipped, serveAssets } from '../pages/assets.ts';
import type { SafeHtml } from '../pages/html.ts';
import type { OpenApiDocument, View } from './document.ts';
import { type Place, textPage } from './guide.ts';
import { english, type Language, portuguese, textNames, translate } from './languages.ts';
import { docsLinks, docsPath, layout, type Page } from './layout.ts';
import { lastOf, machineDocs, type Rendered } from './machines.ts';
import { reference } from './reference/reference.ts';
import { type SearchEntry, searchEntries } from './search-entries.ts';
import { securityText, shippedDocuments } from './shipped-documents.ts';

type PagesOptions = {
  /** The listener's address. Its path, if any, precedes the pages' paths. */
  url: string;
  /** Whether stores read the pages: then there are the guide and other texts, and all in Portuguese, too. */
  isForStores: boolean;
  /** File with the token that the page offers; undefined offers none. */
  tokenFile: string | undefined;
  /** Where the guide's readers pay test payments; without it the guide says nothing of one. */
  simulatorUrl?: string | undefined;
  /** Where a vulnerability is reported; without it the texts name support. */
  securityContact?: string | undefined;
  now: () => Date;
};

/**
 * Serves the reference at `/docs` and the texts at `/docs/guide` and so on, all in Portuguese below `/docs/pt`, each as
 * Markdown, too, and the document at `/docs/json` and `/docs/yaml`, for stores also in OpenAPI 3.0.
 */
export const docsPages: FastifyPluginAsyncTypebox<PagesOptions> = async (app, options) => {
  const { url, isForStores, simulatorUrl, securityContact } = options;
  const base = docsPath(url);
  const address = URL.canParse(url) ? `${url.replace(/\/$/, '')}/docs` : undefined;
  const place: Place = { base, simulatorUrl, securityContact };
  const assets = readAssets(docsFolder, ['assets/docs.css', 'assets/docs.js', 'assets/icon.svg']);
  const hide = { schema: { hide: true } };
  const languages = isForStores ? [english, portuguese] : [english];
  const texts = isForStores ? textNames : [];
  for (const language of languages) languagePages(language);
  machineDocs(app, { languages, texts, viewIn, place });

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
    securityText(app, options);
  }
  serveAssets(app, assets, '/docs/assets');

  function entriesIn(language: Language): SearchEntry[] {
    return searchEntries(viewIn(language), language, place);
  }

  function viewIn({ translations, words }: Language): View {
    return { document: translate(app.swagger() as unknown as OpenApiDocument, translations), words };
  }

  function languagePages(language: Language): void {
    const { path, words } = language;
    const page = (name: Page['page'], title: string, parts: { contents: SafeHtml; body: SafeHtml }) => {
      const product = viewIn(language).document.info.title;
      const whole = title === '' ? product : `${title} · ${product}`;
      return layout({
        ...parts,
        product,
        title: whole,
        base,
        address,
        page: name,
        language,
        isForStores,
        assets,
      });
    };
    const shown = (name: Page['page'], pageFor: (token?: string) => Rendered) => {
      const link = docsLinks({ base, address, page: name, language, isForStores });
      return async (request: FastifyRequest, reply: FastifyReply) => {
        const token = await offeredToken(options.tokenFile);
        void reply.header('link', link);
        return show(request, reply, pageFor(token), token === undefined ? 'no-cache' : 'no-store');
      };
    };
    const referenceFor = lastOf((token) =>
      page('', '', reference(viewIn(language), { base, path, hasGuide: isForStores, token })),
    );
    app.get(`/docs${path}`, hide, shown('', referenceFor));
    app.get(`/docs${path}/`, hide, shown('', referenceFor));
    for (const name of texts) {
      const title = name === 'guide' ? words.guide : words.pages[name].title;
      const pageFor = lastOf((token) =>
        page(`/${name}`, title, textPage(name, viewIn(language), language, { ...place, token })),
      );
      app.get(`/docs${path}/${name}`, hide, shown(`/${name}`, pageFor));
    }
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

/** Sends a page, or another text whose type is set, zipped to those who take that. */
function show(request: FastifyRequest, reply: FastifyReply, page: Rendered, caching: string): FastifyReply {
  void reply.headers({ 'content-security-policy': policy, 'cache-control': caching });
  if (!reply.hasHeader('content-type')) void reply.type('text/html; charset=utf-8');
  return sendZipped(request, reply, { content: page.text, gzipped: page.gzipped });
}
