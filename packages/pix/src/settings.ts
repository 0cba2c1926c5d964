import { ConfigurationError } from '@payments/runtime/environment';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { tlsFiles } from './tls-settings.ts';

const optionalFile = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));

/** The settings that name the PSP. */
export const pixSettings = {
  PIX_URL: Type.String({ pattern: '^https?://', description: "Base URL of the PSP's API Pix" }),
  PIX_CLIENT_ID: Type.String({ minLength: 1, description: "The PSP's OAuth2 client id" }),
  PIX_CLIENT_SECRET: Type.String({ minLength: 1, description: "The PSP's OAuth2 client secret" }),
  PIX_TOKEN_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: "URL of the PSP's token endpoint, if not `{PIX_URL}/oauth/token`",
    }),
  ),
  PIX_ALLOW_HTTP: Type.String({
    pattern: '^(true|false)$',
    default: 'false',
    description:
      '`true` allows plain http to a `PIX_URL` and `PIX_TOKEN_URL` on another machine. For a simulated bank only',
  }),
  PIX_KEY: Type.String({
    minLength: 1,
    maxLength: 77,
    description: 'Pix key (chave) that receives the payments',
  }),
  PIX_MERCHANT_NAME: Type.String({
    minLength: 1,
    default: 'PAGAMENTOS',
    description: 'Name of the receiver in a Pix code that the service builds because the PSP sent none',
  }),
  PIX_MERCHANT_CITY: Type.String({
    minLength: 1,
    default: 'BRASILIA',
    description: 'City of the receiver in such a Pix code',
  }),
  PIX_CERT_FILE: optionalFile('PEM file of the client certificate for mTLS with the PSP'),
  PIX_KEY_FILE: optionalFile('PEM file of the key of `PIX_CERT_FILE`'),
  PIX_CA_FILE: optionalFile("PEM file of the PSP's certificate authority"),
};

type PixSettings = Static<TObject<typeof pixSettings>>;

/**
 * @param timeoutMs the most that one operation may take
 * @returns the same as options of the API Pix client
 * @throws ConfigurationError that names the variable, for a file of mTLS that can't be used, or plain http
 */
export function pixOptions(settings: PixSettings, timeoutMs: number) {
  const { PIX_TOKEN_URL: tokenUrl } = settings;
  if (settings.PIX_ALLOW_HTTP !== 'true') {
    refusePlainHttp('PIX_URL', settings.PIX_URL);
    if (tokenUrl) refusePlainHttp('PIX_TOKEN_URL', tokenUrl);
  }
  return {
    url: settings.PIX_URL,
    ...(tokenUrl ? { tokenUrl } : {}),
    timeoutMs,
    clientId: settings.PIX_CLIENT_ID,
    clientSecret: settings.PIX_CLIENT_SECRET,
    key: settings.PIX_KEY,
    merchantName: settings.PIX_MERCHANT_NAME,
    merchantCity: settings.PIX_MERCHANT_CITY,
    tls: tlsFiles(settings),
  };
}

// As the URL parser writes them, whatever way they were given.
const thisMachine = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Secrets, tokens and what is approved by the answers go this way: in clear text anyone between could say it was paid. */
function refusePlainHttp(variable: string, url: string): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || thisMachine.test(hostname)) return;
  throw new ConfigurationError(
    `${variable} must be https: the bank is not on this machine (PIX_ALLOW_HTTP=true is for simulated banks)`,
  );
}
