import type { TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import { errors } from './errors/errors.ts';

type Verdict = { value: unknown } | { error: Error };

/**
 * Compiles a schema for Fastify, as the first value comes: all of them at once would hold up every start. Values are
 * judged as they come, nothing is converted; what is wrong is said in class-validator's wording, as the spec's own
 * messages (design 5).
 * @param references the named schemas that it may refer to
 */
export function compileValidator({
  schema,
  references = [],
}: {
  schema: unknown;
  references?: unknown[];
}): (value: unknown) => Verdict {
  let compiled: TypeCheck<TSchema> | undefined;
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema as TSchema, references as TSchema[]);
    return compiled.Check(value)
      ? { value }
      : { error: errors.invalidField(violation(compiled.Errors(value))) };
  };
}

/** @returns the message of the first violation, such as `feePercent must not be less than 0` */
function violation(found: Iterable<ValueError>): string {
  // What is missing has an error of its own type, too, which says more: "name must be a string".
  const error = [...found].find(({ type }) => type !== ValueErrorType.ObjectRequiredProperty);
  if (!error) return 'body is not valid';
  // Our unions are a list of literals, or a schema and null; then what is wrong with the schema is worth telling.
  const values = literals(error.schema);
  if (error.type === ValueErrorType.Union && values.length === 0) return violation(error.errors[0] ?? []);
  const field = error.path.slice(1).replaceAll('/', '.') || 'body';
  return values.length > 0
    ? `${field} must be one of the following values: ${values.join(', ')}`
    : `${field} ${complaint(error)}`;
}

function literals({ anyOf }: TSchema): string[] {
  return ((anyOf ?? []) as TSchema[]).filter((variant) => 'const' in variant).map((variant) => variant.const);
}

function complaint({ type, schema, message }: ValueError): string {
  switch (type) {
    case ValueErrorType.String:
      return 'must be a string';
    case ValueErrorType.StringMinLength:
      return `must be longer than or equal to ${schema.minLength} characters`;
    case ValueErrorType.StringMaxLength:
      return `must be shorter than or equal to ${schema.maxLength} characters`;
    case ValueErrorType.Number:
      return 'must be a number conforming to the specified constraints';
    case ValueErrorType.NumberMinimum:
      return `must not be less than ${schema.minimum}`;
    case ValueErrorType.NumberMaximum:
      return `must not be greater than ${schema.maximum}`;
    case ValueErrorType.Boolean:
      return 'must be a boolean value';
    case ValueErrorType.Object:
      return 'must be an object';
    default:
      return `is not valid: ${message}`;
  }
}
