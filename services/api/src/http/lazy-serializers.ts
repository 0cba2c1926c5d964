import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

const compilers = SerializerSelector();

/**
 * For Fastify's `buildSerializer`: compiles a response's schema when it is first sent.
 * Compiling all of them at once would delay each start by a fifth of a second.
 */
export const lazySerializers: SerializerFactory = (schemas, options) => {
  const compile = compilers(schemas, options);
  return (answer) => {
    let serialize: ReturnType<typeof compile> | undefined;
    return (value) => {
      serialize ??= compile(answer);
      return serialize(value);
    };
  };
};
