import { type SerializerFactory, SerializerSelector } from '@fastify/fast-json-stringify-compiler';

const compilers = SerializerSelector();

/**
 * For Fastify's `buildSerializer`: an answer's schema is compiled as it is first sent. All of both listeners' at once,
 * most of them errors, are a fifth of a second of every start.
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
