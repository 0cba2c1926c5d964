import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { docsFolder, earlierDocumentFile, postmanFile } from '../context.ts';
import { pagePolicy } from '../http/headers.ts';
import { readAssets, sendZipped, serveAssets } from '../pages/assets.ts';
import type { SafeHtml } from '../pages/html.ts';
import { type Located, type OpenApiDocument, operationsOf, resolve, type View } from './document.ts';
import { anchors, filledText, type Place, textPage } from './guide.ts';
import { english, type Language, portuguese, textNames, translate } from './languages.ts';
import { docsLinks, docsPath, layout, type Page } from './layout.ts';
import { lastOf, machineDocs, type Rendered, serveOnce } from './machines.ts';
import { bodyExample, reference } from './reference/reference.ts';
import { fieldsIn } from './reference/schema.ts';

const read = (file: URL) => JSON.parse(readFileSync(file, 'utf8'));

const hide = { schema: { hide: true } };

/** Serves the document as it is, and as YAML. */
function ownDocument(app: FastifyInstance): void {
  serveOnce(app, '/docs/json', 'application/json', () => JSON.stringify(app.swagger()));
  serveOnce(app, '/docs/yaml', 'application/yaml', () => app.swagger({ yaml: true }));
}

/**
 * Serves the stores' document in OpenAPI 3.0, and its requests as collections. `npm run openapi` converts the first and
 * Postman's to files, so that the service needs no converters. Only the service's address is filled in here.
 */
function shippedDocuments(app: FastifyInstance): void {
  const documentOf = () => app.swagger() as unknown as OpenApiDocument;
  serveOnce(app, '/docs/openapi-3.0.json', 'application/json', () =>
    JSON.stringify({ ...read(earlierDocumentFile), servers: documentOf().servers }),
  );
  serveOnce(app, '/docs/postman.json', 'application/json', () => {
    const { variable, ...collection } = read(postmanFile) as { variable: { key: string; value: string }[] };
    const base = serviceOf(documentOf());
    const filled = variable.map((one) => (one.key === 'baseUrl' ? { ...one, value: base } : one));
    return JSON.stringify({ ...collection, variable: filled });
  });
  serveOnce(app, '/docs/requests.http', 'text/plain', () => httpFile(documentOf(), serviceOf(documentOf())));
}

const serviceOf = ({ servers }: OpenApiDocument) => (servers?.[0]?.url ?? '').replace(/\/$/, '');

/**
 * Writes the requests for editors that send them: REST Client of VS Code, JetBrains, Visual Studio.
 * @param base the service's address
 */
function httpFile(document: OpenApiDocument, base: string): string {
  const requests = operationsOf(document).filter(({ isWebhook }) => !isWebhook);
  const names = requests.flatMap((located) => pathParameters(document, located));
  const variables = { baseUrl: base, token: 'YOUR_TOKEN', ...Object.fromEntries(names) };
  const lines = Object.entries(variables).map(([name, value]) => `@${name} = ${value}`);
  return [`${lines.join('\n')}\n`, ...requests.map((located) => request(document, located))].join('\n');
}

function request(document: OpenApiDocument, located: Located): string {
  const { method, path, operation } = located;
  const body = bodyExample(document, located);
  const lines = [
    `### ${operation.summary ?? operation.operationId}`,
    `${method.toUpperCase()} {{baseUrl}}${path.replace(/\{(\w+)\}/g, '{{$1}}')}`,
    ...((operation.security ?? []).length > 0 ? ['Authorization: Bearer {{token}}'] : []),
    ...(body === undefined ? [] : ['Content-Type: application/json', '', JSON.stringify(body, undefined, 2)]),
  ];
  return `${lines.join('\n')}\n`;
}

function pathParameters(document: OpenApiDocument, { operation }: Located): [name: string, value: string][] {
  return (operation.parameters ?? [])
    .map((parameter) => resolve(document, parameter))
    .filter((parameter) => parameter.in === 'path')
    .map(({ name }) => [name, `YOUR_${name.toUpperCase()}`]);
}

type SecurityOptions = { url: string; securityContact?: string | undefined; now: () => Date };

const daysOfTrust = 90;
const dayMs = 24 * 60 * 60 * 1_000;

/**
 * Serves `/.well-known/security.txt` (RFC 9116): to whom a vulnerability is reported. Without `SECURITY_CONTACT` that is
 * the page `/docs/security`, which names support.
 *
 * `Expires` is 90 days after the day of the answer, by no date in a file that somebody must remember to move: a running
 * service says what its settings say today, and one that runs no more says nothing. A copy that somebody keeps grows old
 * after 90 days, well within the year that the RFC recommends.
 */
function securityText(app: FastifyInstance, { url, securityContact, now }: SecurityOptions): void {
  const address = url.replace(/\/$/, '');
  app.get('/.well-known/security.txt', hide, async (_request, reply) => {
    const today = Math.floor(now().getTime() / dayMs) * dayMs;
    const fields = {
      Contact: securityContact ?? `${address}/docs/security`,
      Expires: new Date(today + daysOfTrust * dayMs).toISOString().replace('.000Z', 'Z'),
      'Preferred-Languages': 'en, pt',
      Canonical: `${address}/.well-known/security.txt`,
      Policy: `${address}/docs/security`,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
    return reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=86400')
      .send(lines.join(''));
  });
}

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
  const languages = isForStores ? [english, portuguese] : [english];
  const texts = isForStores ? textNames : [];
  for (const language of languages) languagePages(language);
  machineDocs(app, { languages, texts, viewIn, place });

  ownDocument(app);
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
      app.get(`/docs${path}/${name}/`, hide, shown(`/${name}`, pageFor));
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
