import { Type } from '@sinclair/typebox';
import t from 'tap';
import { ConfigurationError, readEnvironment } from '../src/environment.ts';

const schema = Type.Object({
  PORT: Type.Integer({ minimum: 1, maximum: 65_535, default: 3_000 }),
  RATIO: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  IS_ON: Type.Boolean({ default: false }),
  LEVEL: Type.Union([Type.Literal('low'), Type.Literal('high')], { default: 'low' }),
  CODE: Type.Optional(Type.String({ pattern: '^[A-Z]+$' })),
  KEY: Type.String({ minLength: 8, maxLength: 12 }),
});
const minimal = { KEY: 'long-enough' };

t.test(
  'a variable is read in its type; what is absent or empty has its default; others are left out',
  async (t) => {
    t.strictSame(readEnvironment(schema, { ...minimal, PORT: '', HOME: '/root' }), {
      PORT: 3_000,
      IS_ON: false,
      LEVEL: 'low',
      KEY: 'long-enough',
    });
    const given = { ...minimal, PORT: '8080', RATIO: '0.25', IS_ON: 'true', LEVEL: 'high', CODE: 'AB' };
    t.strictSame(readEnvironment(schema, given), {
      PORT: 8_080,
      RATIO: 0.25,
      IS_ON: true,
      LEVEL: 'high',
      CODE: 'AB',
      KEY: 'long-enough',
    });
  },
);

t.test('blanks around a value are no part of it, except of a password and of a key that seals', async (t) => {
  const given = { PORT: ' 8080\n', IS_ON: 'true\r', LEVEL: 'high\r', CODE: '\r\n', KEY: ' long-enough\r\n' };
  const expected = { PORT: 8_080, IS_ON: true, LEVEL: 'high', KEY: 'long-enough' };
  t.strictSame(readEnvironment(schema, given), expected);
  const secrets = Type.Object({ SECRETS_KEY_NEXT: Type.String(), P12_PASSWORD: Type.String() });
  const kept = { SECRETS_KEY_NEXT: ' key ', P12_PASSWORD: ' of blanks ' };
  t.strictSame(readEnvironment(secrets, { ...kept, SECRETS_KEY_NEXT: ' key \r\n' }), kept);
});

t.test('no two listeners have the same port', async (t) => {
  const port = () => Type.Optional(Type.Integer());
  const ports = Type.Object({ PORT: port(), ADMIN_PORT: port(), PIX_CALLBACK_PORT: port(), REPORT: port() });
  const read = (env: Record<string, string>) => readEnvironment(ports, env);
  t.throws(
    () => read({ PORT: '80', ADMIN_PORT: '81', PIX_CALLBACK_PORT: '81' }),
    new ConfigurationError('PIX_CALLBACK_PORT must be another port than ADMIN_PORT'),
  );
  t.doesNotThrow(() => read({ PORT: '0', ADMIN_PORT: '0', PIX_CALLBACK_PORT: '1', REPORT: '1' }));
});

const wrong: [given: Record<string, string>, message: string][] = [
  [{ KEY: '' }, 'KEY is required'],
  [{ KEY: '', PORT: 'http' }, 'KEY is required'],
  [{ PORT: 'http' }, 'PORT must be integer'],
  [{ PORT: '3.5' }, 'PORT must be integer'],
  [{ PORT: ' ' }, 'PORT must be integer'],
  [{ PORT: 'Infinity' }, 'PORT must be integer'],
  [{ PORT: '0x10' }, 'PORT must be integer'],
  [{ PORT: '8e3' }, 'PORT must be integer'],
  [{ PORT: '0' }, 'PORT must be >= 1'],
  [{ PORT: '65536' }, 'PORT must be <= 65535'],
  [{ RATIO: 'half' }, 'RATIO must be number'],
  [{ RATIO: '-0.1' }, 'RATIO must be >= 0'],
  [{ RATIO: '1.1' }, 'RATIO must be <= 1'],
  [{ IS_ON: 'yes' }, 'IS_ON must be boolean'],
  [{ LEVEL: 'loud' }, 'LEVEL must be one of low, high'],
  [{ CODE: 'ab' }, 'CODE must match pattern "^[A-Z]+$"'],
  [{ KEY: 'short' }, 'KEY must NOT have fewer than 8 characters'],
  [{ KEY: 'longer-than-that' }, 'KEY must NOT have more than 12 characters'],
  [{ LEVEL: 'loud', PORT: 'http' }, 'PORT must be integer'],
];
for (const [given, message] of wrong)
  t.test(`${JSON.stringify(given)}: ${message}`, async (t) => {
    t.throws(() => readEnvironment(schema, { ...minimal, ...given }), new ConfigurationError(message));
  });
