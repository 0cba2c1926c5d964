import type { Hidden } from './looks.ts';

/** The ways in which the simulator fails, as in the README's table. */
export type Faults = {
  /** Pix and refunds are not reported. */
  dropCallbacks: boolean;
  /** Each report is made twice. */
  duplicateCallbacks: boolean;
  delayCallbacksMs: number;
  /** One call reports all that happens within this time. */
  batchCallbacksMs: number;
  /** Calls of the API Pix are answered with this status and not carried out; 0 for none. */
  status: number;
  /** Calls are never answered, and not carried out. */
  hang: boolean;
  /** The connection is cut instead of an answer; the call is not carried out. */
  disconnect: boolean;
  latencyMs: number;
  /** Limits `status`, `hang`, `disconnect`, `latencyMs` and what reads see to these operations; empty for all. */
  only: Operation[];
  /** Ends `status`, `hang` and `disconnect`, or what reads see, after so many calls that it hit; 0 for no end. */
  times: number;
  /** Refunds end as NAO_REALIZADO. */
  refuseRefunds: boolean;
  /** Refunds stay EM_PROCESSAMENTO this long, by the bank's clock. */
  slowRefundsMs: number;
  /** PUT devolucao is carried out, then answered with 500. */
  loseRefundAnswers: boolean;
  /** PUT cob is carried out, then answered with 500. */
  loseChargeAnswers: boolean;
  /** PUT cob is carried out, then the connection is cut. */
  cutChargeAnswers: boolean;
  /** Charges come without `pixCopiaECola`, as some banks send them. */
  omitPixCopiaECola: boolean;
  /** A new token ends the client's older ones. */
  oneTokenPerClient: boolean;
  /** Reads see the bank as it was so long ago, by its clock; 0 for now. */
  lagSeconds: number;
  /** Reads do not see these. */
  hide: Hidden[];
  /** Pix come with a `valor` that can't be read, also in reports. */
  oddAmounts: boolean;
  /** Refunds inside a Pix come without `id`, also in reports. */
  withoutRefundIds: boolean;
  /** Limits `lagSeconds`, `hide`, `oddAmounts` and `withoutRefundIds` to these charges, by txid; empty for all. */
  charges: string[];
};

export const operations = [
  'token',
  'putCob',
  'postCob',
  'patchCob',
  'getCob',
  'listCob',
  'getPix',
  'listPix',
  'putDevolucao',
  'getDevolucao',
  'putWebhook',
  'getWebhook',
  'listWebhook',
  'deleteWebhook',
  'loc',
] as const;

/** The names in `only` of the operations of the API Pix. */
export type Operation = (typeof operations)[number];

export function noFaults(): Faults {
  return {
    dropCallbacks: false,
    duplicateCallbacks: false,
    delayCallbacksMs: 0,
    batchCallbacksMs: 0,
    status: 0,
    hang: false,
    disconnect: false,
    latencyMs: 0,
    only: [],
    times: 0,
    refuseRefunds: false,
    slowRefundsMs: 0,
    loseRefundAnswers: false,
    loseChargeAnswers: false,
    cutChargeAnswers: false,
    omitPixCopiaECola: false,
    oneTokenPerClient: false,
    lagSeconds: 0,
    hide: [],
    oddAmounts: false,
    withoutRefundIds: false,
    charges: [],
  };
}

export type CallFault = {
  latencyMs: number;
  instead: 'status' | 'hang' | 'disconnect' | null;
  status: number;
};

/** @returns the fault of one call of the API Pix, which counts against `times` */
export function takeCallFault(faults: Faults, operation: Operation): CallFault {
  const hit = faults.only.length === 0 || faults.only.includes(operation);
  if (!hit) return { latencyMs: 0, instead: null, status: 0 };
  const { latencyMs, status } = faults;
  const instead = faults.hang ? 'hang' : faults.disconnect ? 'disconnect' : status > 0 ? 'status' : null;
  if (instead && faults.times > 0) {
    faults.times -= 1;
    if (faults.times === 0) Object.assign(faults, { hang: false, disconnect: false, status: 0 });
  }
  return { latencyMs, instead, status };
}
