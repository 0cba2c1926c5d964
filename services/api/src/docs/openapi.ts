import swagger, { type FastifyDynamicSwaggerOptions } from '@fastify/swagger';
import { fastifyPlugin } from 'fastify-plugin';
import { type BodyExamples, completeDocument } from './complete-document.ts';
import type { OpenApiDocument } from './document.ts';

/** The service's version, as in its package.json. */
const version = '0.1.0';

/** The parts of a listener's document that do not come from its routes. */
export type DocsOptions = Pick<OpenApiDocument, 'servers' | 'tags' | 'webhooks'> & {
  title: string;
  description: string;
  bearer: { description: string; format?: string };
  examples?: BodyExamples;
};

/** Generates a listener's OpenAPI document from its routes. `pages.ts` shows it. */
export const docs = fastifyPlugin(
  async (app, { title, description, bearer, examples, ...rest }: DocsOptions) => {
    const scheme = { type: 'http' as const, scheme: 'bearer', description: bearer.description };
    const options: FastifyDynamicSwaggerOptions = {
      openapi: {
        openapi: '3.1.0',
        info: {
          title,
          description,
          version,
          contact: { name: 'Support of the platform that runs this service' },
          license: { name: 'MIT', identifier: 'MIT' },
        },
        ...rest,
        components: {
          securitySchemes: {
            bearer: { ...scheme, ...(bearer.format === undefined ? {} : { bearerFormat: bearer.format }) },
          },
        },
      },
      // A PUBLIC_URL with a path must not shorten our routes' paths.
      stripBasePath: false,
      // The default names components def-0, def-1, ….
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          (json.$id as string | undefined) ?? `Schema${index}`,
      },
      transformObject: (given) =>
        'openapiObject' in given
          ? completeDocument(given.openapiObject as OpenApiDocument, examples)
          : given.swaggerObject,
    };
    await app.register(swagger, options);
  },
  { name: 'docs' },
);
