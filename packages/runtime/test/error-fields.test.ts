import t from 'tap';
import { errorFields } from '../src/error-fields.ts';
import { redact } from '../src/logging.ts';

t.test(
  'an error is logged with kind, message, stack, codes and causes, without rows, queries or inputs',
  async (t) => {
    const driver = Object.assign(new Error('new row violates check constraint "positive"'), {
      code: '23514',
      table: 'payments',
      detail: 'Failing row contains (payer@example.com, two shirts).',
      where: 'unnamed portal parameter $1 = payer@example.com',
      input: 'postgres://payments:hidden@host',
    });
    const fields = errorFields(new Error('not written', { cause: driver }));
    t.match(fields, { message: 'not written', cause: { code: '23514', table: 'payments' } });
    t.match(fields, { cause: { stack: /error-fields\.test/ } });
    t.notMatch(JSON.stringify(fields), /two shirts|payer@|hidden/);
    t.same(errorFields('text'), { type: 'string' });
  },
);

t.test('values that PostgreSQL and JSON quote are cut out', async (t) => {
  const invalid = Object.assign(new Error('invalid input syntax for type uuid: "two shirts"'), {
    code: '22P02',
  });
  t.match(errorFields(invalid), { message: 'invalid input syntax for type uuid: [redacted]' });
  try {
    JSON.parse('{"observation": two shirts');
  } catch (error) {
    t.notMatch(JSON.stringify(errorFields(error)), /two shirts|observation/);
  }
});

const lines: [line: string, shown: string][] = [
  ['{"msg":"settled"}', '{"msg":"settled"}'],
  ['to payer.one+x@mail.example.com now', 'to [redacted] now'],
  ['postgres://payments:s3cr3t@db:5432/x', 'postgres://[redacted]@db:5432/x'],
  ['Authorization: Bearer abc.def-ghi', 'Authorization: Bearer [redacted]'],
  ['basic Zm9vOmJhcg==', 'basic [redacted]'],
  ['pp_0123456789012345678901234567890123456789012', '[redacted]'],
  ['whsec_c2VjcmV0', '[redacted]'],
  ['"https://store.example/path"', '"https://store.example/path"'],
];
for (const [line, shown] of lines) {
  t.test(line, async (t) => t.equal(redact(line), shown));
}

t.test('a line made to be slow comes to its end', async (t) => {
  // scripts/test/linear-patterns.slow.ts counts the steps that each pattern takes at worst.
  const hostile = `${'a'.repeat(64 * 1_024)}@${'b-'.repeat(32 * 1_024)}`;
  t.equal(redact(hostile), hostile);
});
