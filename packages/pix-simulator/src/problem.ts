import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const ERRORS = 'https://pix.bcb.gov.br/api/v2/error/';

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

const titles: Record<number, string> = {
  400: 'Requisição inválida.',
  401: 'Não autorizado.',
  403: 'Acesso negado.',
  404: 'Não encontrado.',
  429: 'Muitas requisições.',
  500: 'Erro interno do servidor.',
  503: 'Serviço indisponível.',
};

export function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply
    .code(problem.status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: ERRORS + problem.name,
        title: titles[problem.status] ?? 'Erro.',
        status: problem.status,
        detail: problem.message,
        ...(problem.violations.length > 0 && { violacoes: problem.violations }),
      }),
    );
}

/** Every error of the simulator leaves as problem+json. */
export function renderProblems(app: FastifyInstance): void {
  app.setErrorHandler((error: FastifyError, request, reply) => sendProblem(reply, problemOf(error, request)));
  app.setNotFoundHandler((_request, reply) =>
    sendProblem(reply, new Problem(404, 'NaoEncontrado', 'Não há nada neste endereço.')),
  );
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
  const { invalid = 'RequisicaoInvalida' } = request.routeOptions.config;
  const violations = (error.validation ?? []).map((failure) => ({
    razao: failure.message ?? 'não respeita o schema',
    propriedade: `${error.validationContext ?? ''}${failure.instancePath.replaceAll('/', '.')}`,
  }));
  return new Problem(400, invalid, 'A requisição não respeita o schema.', violations);
}
