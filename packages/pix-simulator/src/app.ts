import { readFileSync } from 'node:fs';
import { AjvCompiler } from '@fastify/ajv-compiler';
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify';
import { apiPix } from './api-pix/routes.ts';
import { bankSide } from './bank/routes.ts';
import { type Bank, type BankOptions, openBank } from './bank.ts';
import { banks } from './banks/all.ts';
import type { BankRules } from './banks/rules.ts';
import type { Operation } from './faults.ts';
import { renderProblems } from './problem.ts';
import { settleDue } from './refunds.ts';

declare module 'fastify' {
  interface FastifyInstance {
    bank: Bank;
  }
  interface FastifyContextConfig {
    apiPix?: ApiPixRoute;
  }
}

/** A route's place in the API Pix. */
export type ApiPixRoute = {
  /** Its name in the fault `only`. */
  operation: Operation;
  /** The scope that a token must have. */
  scope?: string;
  /** The problem's name when a request does not respect the schema. */
  invalid?: string;
};

export type SimulatorOptions = BankOptions & {
  /** PEM files. With `clientCaFile` a client must show a certificate of that CA (mTLS). */
  tls?: { certFile: string; keyFile: string; clientCaFile?: string };
  /** Default: silence. */
  logger?: FastifyBaseLogger;
};

const SETTLE_EVERY_MS = 100;

// All banks of a process share it, since compiling the standard's schemas takes most of a bank's start. It keeps what it
// compiled for each schema, so routes give it constants.
const validators = AjvCompiler();

/** A bank that speaks the API Pix 2.9, ready to listen. Closing it ends callbacks and hanging calls. */
export function buildSimulator(options: SimulatorOptions = {}): FastifyInstance {
  const { standardPath } = banks[options.profile ?? 'bacen'];
  const app = Fastify({
    rewriteUrl: ({ url = '/', method = '' }) => standardUrl(standardPath, method, url),
    ...(options.logger && { loggerInstance: options.logger }),
    logController: new LogController({ disableRequestLogging: true }),
    https: options.tls ? httpsOptions(options.tls) : null,
    // Validation must see requests as they came.
    ajv: { customOptions: { coerceTypes: false, removeAdditional: false, allErrors: true, strict: false } },
    schemaController: { compilersFactory: { buildValidator: validators } },
  }) as unknown as FastifyInstance;

  const bank = openBank(options, app.log);
  app.decorate('bank', bank);
  renderProblems(app);
  app.register(apiPix);
  app.register(bankSide);

  const settling = setInterval(() => settleDue(bank), SETTLE_EVERY_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(settling);
    await bank.callbacks.close();
    bank.ledger.close();
  });
  return app;
}

/** The bank's other side is at the same place at every bank. */
const otherSide = /^\/(bank\/|qr\/|health\/|$)/;

function standardUrl(standardPath: BankRules['standardPath'], method: string, url: string): string {
  const [path = '', query] = url.split('?', 2);
  if (otherSide.test(path)) return url;
  const known = standardPath(method, path);
  if (known === null) return `/nothing-here${path}`;
  return query === undefined ? known : `${known}?${query}`;
}

function httpsOptions(files: NonNullable<SimulatorOptions['tls']>) {
  const { certFile, keyFile, clientCaFile } = files;
  return {
    cert: readFileSync(certFile),
    key: readFileSync(keyFile),
    ...(clientCaFile && { ca: readFileSync(clientCaFile), requestCert: true, rejectUnauthorized: true }),
  };
}
