import { type TObject, type TSchema, Type } from '@sinclair/typebox';
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler';
import { type ValueError, ValueErrorType } from '@sinclair/typebox/errors';
import {
  type ApiError,
  type Condition,
  type Conditions,
  type FieldRule,
  field,
  rules,
  wrongField,
} from './errors/api-error.ts';
import { conditionOf, type ErrorName } from './errors/errors.ts';
import { isLonger } from './readers.ts';

/** An OpenAPI example of a body; an error's also tells its `Error-Code`. */
export type Example = { summary: string; value: unknown; 'x-error-code'?: string };
export type Examples = Record<string, Example>;

type Content = { schema: TSchema; examples?: Examples };
type DocumentedAnswer = { description: string; content: Record<string, Content> };

/** @returns a successful JSON response for a route schema's `response` */
export function answerOf(description: string, schema: TSchema, examples?: Examples): DocumentedAnswer {
  return { description, content: { 'application/json': { schema, ...(examples && { examples }) } } };
}

/**
 * Declares a route's errors. Each condition is a named example with its exact message.
 * `completeDocument` adds the errors that any request can get.
 * @param errors names of conditions, or conditions by name
 * @returns the error part of the route schema's `response`
 */
export function errorAnswersOf(
  ...errors: readonly (ErrorName | Conditions)[]
): Record<number, DocumentedAnswer> {
  const answers: Record<number, DocumentedAnswer> = {};
  const named = errors.map((one) => (typeof one === 'string' ? { [one]: conditionOf(one) } : one));
  for (const [name, condition] of Object.entries<Condition>(Object.assign({}, ...named))) {
    const { status, examples } = exampleOf(name, condition);
    answers[status] ??= answerOf(descriptionOf(status), Type.Ref('Error'), {});
    Object.assign(answers[status].content['application/json']?.examples ?? {}, examples);
  }
  return answers;
}

/** @returns the status of a condition and its message as a named example */
export function exampleOf(name: string, condition: Condition): { status: number; examples: Examples } {
  const { status, message, when, code } = condition;
  const example = { summary: when, value: { statusCode: status, message }, 'x-error-code': code };
  return { status, examples: { [name]: example } };
}

/** @returns the documents' description of an error status */
export function descriptionOf(status: number): string {
  return descriptions[status] ?? 'Error.';
}

const descriptions: Record<number, string> = {
  400: 'The request is not valid. `message` says what is wrong.',
  401: 'The request has no valid token.',
  403: 'You may not do this. `message` says why.',
  404: 'The resource does not exist, or belongs to another store.',
  408: 'The request took too long to arrive.',
  409: 'The current state does not allow this. Nothing changed.',
  413: 'The body is too large.',
  415: 'The body is not declared as JSON, or is compressed.',
  417: 'The service can’t fulfil the `Expect` header.',
  422: 'The request contradicts an earlier one. Nothing changed.',
  429: 'Too many requests. Wait for `Retry-After`.',
  431: 'The URL and headers are too large.',
  500: 'The service failed. Send the request again.',
  503: 'The service is unavailable now. Wait for `Retry-After`.',
};

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
    if (compiled.Check(value)) return { value };
    const violation = firstOf(compiled.Errors(value));
    return violation ? { error: errorOf(violation) } : { value };
  };
}

/** What breaks a schema, and the first that breaks each variant of a union. */
type Violation = Omit<ValueError, 'errors'> & { ofVariants: (Violation | undefined)[] };

/** @returns the first violation. None is looked for after it, since a body may have half a million */
function firstOf(found: Iterable<ValueError>): Violation | undefined {
  let missing: Violation | undefined;
  for (const { errors, ...error } of found) {
    const violation = { ...error, ofVariants: errors.map(firstOf) };
    // A missing field also has a type error, whose message says more: "name must be a string".
    if (error.type === ValueErrorType.ObjectRequiredProperty) missing ??= violation;
    else if (isReal(violation)) return violation;
  }
  return missing;
}

/** TypeBox counts UTF-16 units. JSON Schema and our messages count characters, of which an emoji is one. */
function isReal({ type, schema, value, ofVariants }: Violation): boolean {
  if (type === ValueErrorType.StringMaxLength) return isLonger(String(value), schema.maxLength);
  return type !== ValueErrorType.Union || !ofVariants.includes(undefined);
}

/** @returns the violation as an error, such as `feePercent must not be less than 0` */
function errorOf(violation: Violation): ApiError {
  const { schema, path, ofVariants } = violation;
  // Our unions are lists of literals, or a schema and null. For the latter, report the schema's own violation.
  const values = literals(schema);
  const [ofSchema] = ofVariants;
  if (ofSchema && values.length === 0) return errorOf(ofSchema);
  const name = path.slice(1).replaceAll('/', '.') || 'body';
  return wrongField(name, values.length > 0 ? rules.oneOf(values) : brokenRule(violation));
}

/** @returns the values of a list of literals; none for another schema */
function literals({ anyOf }: TSchema): string[] {
  return ((anyOf ?? []) as TSchema[]).filter((variant) => 'const' in variant).map((variant) => variant.const);
}

function brokenRule({ type, schema, message }: Violation): FieldRule {
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

/**
 * For routes whose schemas only document. The functions that read the request validate it, with the contract's
 * messages (Contract: validation).
 */
export const skipValidation = { validatorCompiler: () => () => true };

/** A way to break a field's rule: the end of the condition's name, the rule, and the words of the documents. */
type Breach = [name: string, rule: FieldRule, says: string];

/**
 * @param body the schema of a request's body
 * @returns the errors that its fields can cause. Documents and validation follow from one schema, so they can't disagree
 */
export function conditionsOf({ properties, required = [] }: TObject): Conditions {
  const conditions: Conditions = {
    bodyNotAnObject: field('body', rules.object, 'The body is not a JSON object.'),
  };
  for (const [name, property] of Object.entries(properties)) {
    const missing = required.includes(name) ? 'is missing or ' : '';
    const schema = withoutNull(property);
    for (const [end, rule, says] of breachesOf(schema, missing))
      conditions[`${name}${end}`] = field(name, rule, `\`${name}\` ${says}.`);
    if (schema.items?.type === 'string')
      conditions[`${name}EntryNotAString`] = field(
        `${name}.0`,
        rules.string,
        `An entry of \`${name}\`, here the first, is not a string.`,
      );
  }
  return conditions;
}

/** An optional field is a union of its schema and null. */
function withoutNull(schema: TSchema): TSchema {
  const variants: TSchema[] = schema.anyOf ?? [];
  const isOptional = variants.some(({ type }) => type === 'null');
  return (isOptional ? variants.find(({ type }) => type !== 'null') : undefined) ?? schema;
}

function breachesOf(schema: TSchema, missing: string): Breach[] {
  const unknown = (values: string[]): Breach => [
    'Unknown',
    rules.oneOf(values),
    'is none of the values of the schema',
  ];
  const values = literals(schema);
  if (values.length > 0) return [unknown(values)];
  switch (schema.type) {
    case 'string':
      return [...breachesOfText(schema, missing), ...(schema.enum ? [unknown(schema.enum)] : [])];
    case 'number':
      return breachesOfNumber(schema, missing);
    case 'boolean':
      return [['NotABoolean', rules.boolean, `${missing}is neither true nor false`]];
    case 'array':
      return [['NotAnArray', rules.array, `${missing}is not a list`]];
    default:
      return [];
  }
}

function breachesOfText({ minLength, maxLength }: TSchema, missing: string): Breach[] {
  const breaches: Breach[] = [['NotAString', rules.string, `${missing}is not a string`]];
  if (minLength === 1) breaches.push(['TooShort', rules.longEnough(1), 'is empty']);
  if (maxLength === undefined) return breaches;
  breaches.push(['TooLong', rules.shortEnough(maxLength), `is longer than ${maxLength} characters`]);
  // Free text is read by `readText`.
  breaches.push(['NullCharacter', rules.noNull, 'contains U+0000']);
  return breaches;
}

function breachesOfNumber({ minimum, maximum }: TSchema, missing: string): Breach[] {
  const breaches: Breach[] = [['NotANumber', rules.number, `${missing}is not a number`]];
  if (minimum !== undefined)
    breaches.push([
      'TooLow',
      rules.atLeast(minimum),
      minimum === 0 ? 'is negative' : `is less than ${minimum}`,
    ]);
  if (maximum !== undefined) breaches.push(['TooHigh', rules.atMost(maximum), `is more than ${maximum}`]);
  return breaches;
}
