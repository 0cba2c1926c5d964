import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addToLatest } from './journal.ts';

export type Violation = { razao: string; propriedade: string };

/** A refusal as the API Pix words it (2.9, `Problema`); `name` is the last segment of its type. */
export class Problem extends Error {
  readonly status: number;
  readonly violations: Violation[];

  constructor(status: number, name: string, detail: string, violations: Violation[] = []) {
    super(detail);
    this.name = name;
    this.status = status;
    this.violations = violations;
  }
}

/** Something is there, and a fault hides it. */
export class HiddenByFault extends Problem {}

/** A refusal as this bank words it. */
export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  const { status, type, body } = reply.server.bank.rules.render(problem);
  return reply.code(status).type(type).send(body);
}

/** Every error of the simulator leaves as the bank words it. */
export function renderProblems(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const problem = problemOf(error, request);
    const ofApiPix = request.routeOptions.config.apiPix !== undefined;
    if (ofApiPix && isUnknown(problem)) noteUnknown(request);
    if (ofApiPix && !(error instanceof Problem) && problem.status < 500) note(request, problem);
    return sendProblem(reply, problem);
  });
  app.setNotFoundHandler((request, reply) => {
    const problem = new Problem(404, 'NaoEncontrado', 'Não há nada neste endereço.');
    note(request, problem);
    return sendProblem(reply, problem);
  });
}

/** A request that does not respect the document is the receiver's defect; `/bank/violations` shows it. */
function note(request: FastifyRequest, problem: Problem): void {
  const { method, url } = request;
  request.log.error({ method, url, problem: problem.name, violations: problem.violations }, 'not API Pix');
  const { violations } = request.server.bank.conformity;
  addToLatest(violations, { method, url, problem: problem.name, violations: problem.violations });
}

const isUnknown = (problem: Problem) =>
  !(problem instanceof HiddenByFault) &&
  (problem.name === 'CobNaoEncontrado' || problem.name === 'PixNaoEncontrado');

/** With several banks, a request at the wrong one shows here. */
function noteUnknown(request: FastifyRequest): void {
  const { operation } = request.routeOptions.config.apiPix!;
  const { txid, e2eid } = request.params as { txid?: string; e2eid?: string };
  addToLatest(request.server.bank.unknown, { operation, id: txid ?? e2eid ?? '' });
}

function problemOf(error: FastifyError, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error.validation) return schemaProblem(error, request);
  const status = error.statusCode ?? 500;
  if (status < 500) return new Problem(status, 'RequisicaoInvalida', error.message);
  request.log.error({ err: error }, 'simulator failed');
  return new Problem(500, 'ErroInternoDoServidor', 'Condição inesperada ao processar requisição.');
}

function schemaProblem(error: FastifyError, request: FastifyRequest): Problem {
  const invalid = request.routeOptions.config.apiPix?.invalid ?? 'RequisicaoInvalida';
  const violations = (error.validation ?? []).map((failure) => ({
    razao: `${failure.message}${extra(failure.params)}`,
    propriedade: `${error.validationContext ?? ''}${failure.instancePath.replaceAll('/', '.')}`,
  }));
  return new Problem(400, invalid, 'A requisição não respeita o schema.', violations);
}

function extra(params: Record<string, unknown>): string {
  const said = params.additionalProperty ?? params.allowedValues;
  return said === undefined ? '' : `: ${String(said)}`;
}
