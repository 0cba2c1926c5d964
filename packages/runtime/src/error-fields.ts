/**
 * The fields of an error that are logged beside its kind, message and stack. Drivers add rows, queries and addresses.
 */
const told = [
  'code',
  'statusCode',
  'status',
  'operation',
  'reason',
  'stage',
  'syscall',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
];
const deepest = 4;

/** @returns an error as a log line shows it, with its causes and without the values that it quotes */
export function errorFields(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const message = withoutValues(error);
  const fields: Record<string, unknown> = {
    type: error.name,
    message,
    stack: `${error.name}: ${message}\n${framesOf(error)}`,
  };
  for (const name of told) {
    const value = (error as unknown as Record<string, unknown>)[name];
    if (typeof value === 'string' || typeof value === 'number') fields[name] = value;
  }
  if (depth >= deepest) return fields;
  if (error.cause !== undefined) fields.cause = errorFields(error.cause, depth + 1);
  if (error instanceof AggregateError)
    fields.errors = error.errors.slice(0, 3).map((one) => errorFields(one, depth + 1));
  return fields;
}

/** @returns the frames without the head of the stack, which repeats the message */
function framesOf({ stack = '' }: Error): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

// PostgreSQL (class 22: invalid values) and JSON's parser quote what they could not read.
function withoutValues(error: Error & { code?: unknown }): string {
  const isQuoting = error instanceof SyntaxError || /^22/.test(String(error.code ?? ''));
  return isQuoting ? error.message.replace(/["'].*["']/s, '[redacted]') : error.message;
}
