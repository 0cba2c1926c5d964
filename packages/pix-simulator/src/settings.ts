import { portSetting, processSettings } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';
import { banks } from './banks/all.ts';

const optional = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** The simulator's environment. */
export const simulatorSettings = Type.Object({
  PORT: portSetting(3003, 'Port to listen on'),
  HOST: Type.String({ default: '127.0.0.1', description: 'Address to listen on; it asks nobody who pays' }),
  LOG_LEVEL: processSettings.LOG_LEVEL,
  PROFILE: Type.Union(
    Object.keys(banks).map((bank) => Type.Literal(bank)),
    { default: 'bacen', description: 'The bank whose deviations from the standard are simulated' },
  ),
  TEST_BANK: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description:
      '`true` makes it the bank of test stores alone: no entry but `test` gets tokens, and nobody else pays there',
  }),
  DATA_FILE: optional(
    'Journal of charges, Pix, refunds and the webhook; without it they end with the process',
  ),
  DATA_DAYS: Type.Integer({
    minimum: 1,
    maximum: 36_500,
    default: 180,
    description:
      'The start drops charges that ended longer ago, with their Pix; for test stores more than the service’s TEST_DATA_DAYS',
  }),
  PIX_CLIENT_ID: optional('The only OAuth2 client id taken; without it any will do'),
  PIX_CLIENT_SECRET: optional('The only OAuth2 client secret taken; without it any will do'),
  PIX_KEY: optional('The only Pix key that is the receiver’s; without it any will do'),
  MERCHANT_NAME: Type.String({
    minLength: 1,
    default: 'Loja de Demonstração',
    description: 'Name in the codes',
  }),
  TLS_CERT_FILE: optional('Server certificate, PEM; with TLS_KEY_FILE the simulator speaks HTTPS'),
  TLS_KEY_FILE: optional('The certificate’s key, PEM'),
  TLS_CLIENT_CA_FILE: optional('Authority of the clients’ certificates, PEM; with it mTLS is required'),
});
