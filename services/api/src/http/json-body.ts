import { isUtf8 } from 'node:buffer';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';

/**
 * Parses JSON bodies in UTF-8 (RFC 8259), also behind a byte order mark, which some programs write. An empty body is absent,
 * so validation names the first missing field.
 */
export const jsonBody = fastifyPlugin(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, bytes: Buffer) => {
        // Fastify's text parser would silently replace bytes that are not UTF-8.
        if (!isUtf8(bytes)) throw errors.invalidJson();
        // TextDecoder leaves the mark out.
        const text = new TextDecoder().decode(bytes);
        if (text.trim() === '') return undefined;
        try {
          return JSON.parse(text) as unknown;
        } catch {
          throw errors.invalidJson();
        }
      },
    );
  },
  { name: 'json-body' },
);
