import type { TSchema } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import type { ApiError } from './errors/api-error.ts';
import { wrongField } from './errors/condition.ts';
import { type FieldRule, rules } from './errors/field-rules.ts';

type Verdict = { value: unknown } | { error: Error };

/**
 * Compiles a schema for Fastify at its first use, since compiling all of them would delay each start.
 * Validation converts no values (Contract: validation).
 * @param references the named schemas for its `$ref`s
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
    return compiled.Check(value) ? { value } : { error: violation(compiled.Errors(value)) };
  };
}

/** @returns the first violation as an error, such as `feePercent must not be less than 0` */
function violation(found: Iterable<ValueError>): ApiError {
  // A missing field also has a type error, whose message says more: "name must be a string".
  const error = [...found].find(({ type }) => type !== ValueErrorType.ObjectRequiredProperty);
  if (!error) return wrongField('body', unnamed('is not valid'));
  // Our unions are lists of literals, or a schema and null. For the latter, report the schema's own violation.
  const values = literals(error.schema);
  if (error.type === ValueErrorType.Union && values.length === 0) return violation(error.errors[0] ?? []);
  const field = error.path.slice(1).replaceAll('/', '.') || 'body';
  return wrongField(field, values.length > 0 ? rules.oneOf(values) : brokenRule(error));
}

/** @returns the values of a list of literals; none for another schema */
export function literals({ anyOf }: TSchema): string[] {
  return ((anyOf ?? []) as TSchema[]).filter((variant) => 'const' in variant).map((variant) => variant.const);
}

function brokenRule({ type, schema, message }: ValueError): FieldRule {
  switch (type) {
    case ValueErrorType.String:
      return rules.string;
    case ValueErrorType.StringMinLength:
      return rules.longEnough(schema.minLength);
    case ValueErrorType.StringMaxLength:
      return rules.shortEnough(schema.maxLength);
    case ValueErrorType.Array:
      return rules.array;
    case ValueErrorType.Number:
      return rules.number;
    case ValueErrorType.NumberMinimum:
      return rules.atLeast(schema.minimum);
    case ValueErrorType.NumberMaximum:
      return rules.atMost(schema.maximum);
    case ValueErrorType.Boolean:
      return rules.boolean;
    case ValueErrorType.Object:
      return rules.object;
    default:
      return unnamed(`is not valid: ${message}`);
  }
}

const unnamed = (says: string): FieldRule => ({ says, pt: () => 'Valor inválido.' });
