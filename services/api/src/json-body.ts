import { fastifyPlugin } from 'fastify-plugin';
import { errors } from './errors/errors.ts';

/** Reads JSON bodies. An empty one is no body: what is missing in it is then said field by field. */
export const jsonBody = fastifyPlugin(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      'application/json',
      { parseAs: 'string' },
      async (_request: unknown, body: string) => {
        if (body.trim() === '') return undefined;
        try {
          return JSON.parse(body) as unknown;
        } catch {
          throw errors.invalidJson();
        }
      },
    );
  },
  { name: 'json-body' },
);
