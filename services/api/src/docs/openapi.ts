import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import { fastifyPlugin } from 'fastify-plugin';

export type DocsOptions = { title: string; description: string; url: string };

/** The OpenAPI document of a listener, generated from its routes: `/docs`, `/docs/json`, `/docs/yaml`. */
export const docs = fastifyPlugin(
  async (app, { title, description, url }: DocsOptions) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title, description, version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } },
        servers: [{ url }],
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
      },
      // Without it, components would be called def-0, def-1, ….
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          (json.$id as string | undefined) ?? `Schema${index}`,
      },
    });
    await app.register(swaggerUi, { routePrefix: '/docs', staticCSP: true });
  },
  { name: 'docs' },
);
