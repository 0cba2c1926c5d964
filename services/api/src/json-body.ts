import { isUtf8 } from 'node:buffer';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';

/** Reads JSON bodies, which are UTF-8 (RFC 8259). An empty one is no body: what is missing in it is then said field by field. */
export const jsonBody = fastifyPlugin(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: unknown, bytes: Buffer) => {
        // Read as text, other bytes would be replaced without a word.
        if (!isUtf8(bytes)) throw errors.invalidJson();
        const text = bytes.toString();
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
