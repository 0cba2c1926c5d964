import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { SafeHtml } from '../html.ts';
import { docsFolder } from '../shipped-files.ts';
import { type Assets, addressOf, readAssets, serveAssets } from '../versioned-assets.ts';
import { guide } from './guide.ts';
import { layout } from './layout.ts';
import { offeredToken } from './offered-token.ts';
import type { OpenApiDocument } from './reference/document.ts';
import { reference } from './reference/reference.ts';

export type PagesOptions = {
  /** The listener's address. Its path, if any, precedes the pages' paths. */
  url: string;
  hasGuide: boolean;
  /** File with the token that the page offers; undefined offers none. */
  tokenFile: string | undefined;
};

// No inline script or style, and no other host. `blob:` shows the image of a QR response.
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Serves the reference at `/docs`, the guide at `/docs/guide`, and the document at `/docs/json` and `/docs/yaml`. */
export async function docsPages(app: FastifyInstance, options: PagesOptions): Promise<void> {
  const { url, hasGuide, tokenFile } = options;
  const base = `${new URL(url, 'http://localhost').pathname.replace(/\/$/, '')}/docs`;
  const assets = readAssets(docsFolder, ['assets/docs.css', 'assets/docs.js', 'assets/icon.svg']);
  const hide = { schema: { hide: true } };
  const documentOf = () => app.swagger() as unknown as OpenApiDocument;

  const page = (path: string, parts: { contents: SafeHtml; body: SafeHtml }) => {
    const name = documentOf().info.title;
    const title = path === '' ? name : `Guide · ${name}`;
    const current = base + path;
    return layout({ ...parts, name, title, current, ...linksAndAssets(base, assets, hasGuide) });
  };
  // Each page is rendered once, so that readers of the docs do not slow payments down.
  const referenceFor = lastOf((token) => page('', reference(documentOf(), { base, hasGuide, token })));
  const guidePage = lastOf(() => page('/guide', guide(documentOf(), base)));

  const showReference = async (request: FastifyRequest, reply: FastifyReply) => {
    const token = await offeredToken(tokenFile);
    return show(request, reply, referenceFor(token), token === undefined ? 'no-cache' : 'no-store');
  };
  app.get('/docs', hide, showReference);
  app.get('/docs/', hide, showReference);
  if (hasGuide) {
    app.get('/docs/guide', hide, async (request, reply) => show(request, reply, guidePage(), 'no-cache'));
  }
  app.get('/docs/json', hide, async () => app.swagger());
  app.get('/docs/yaml', hide, async (_request, reply) =>
    reply.type('application/yaml; charset=utf-8').send(app.swagger({ yaml: true })),
  );
  serveAssets(app, assets, '/docs/assets');
}

type Rendered = { text: string; gzipped: Buffer };

function show(request: FastifyRequest, reply: FastifyReply, page: Rendered, caching: string): FastifyReply {
  const zips = /\bgzip\b/.test(request.headers['accept-encoding'] ?? '');
  void reply.headers({
    'content-security-policy': policy,
    'cache-control': caching,
    vary: 'accept-encoding',
  });
  if (zips) void reply.header('content-encoding', 'gzip');
  return reply.type('text/html; charset=utf-8').send(zips ? page.gzipped : page.text);
}

/** @returns a renderer that reuses its last page for the same arguments */
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

function linksAndAssets(base: string, assets: Assets, hasGuide: boolean) {
  const at = (name: string) => addressOf(assets, `${base}/assets`, name);
  return {
    links: [
      { href: base, text: 'Reference' },
      ...(hasGuide ? [{ href: `${base}/guide`, text: 'Guide' }] : []),
    ],
    assets: { css: at('docs.css'), script: at('docs.js'), icon: at('icon.svg') },
  };
}
