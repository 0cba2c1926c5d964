/** How the simulator misbehaves. Everything off is a bank on a good day. */
export type Faults = {
  /** Pix and refunds are not reported. */
  dropCallbacks: boolean;
  /** Each report is made twice. */
  duplicateCallbacks: boolean;
  delayCallbacksMs: number;
  /** Every call of the API Pix is answered with this status; 0 for none. */
  status: number;
  /** Calls are never answered. */
  hang: boolean;
  /** The connection is cut instead of an answer. */
  disconnect: boolean;
  latencyMs: number;
  /** Limits `status`, `hang`, `disconnect` and `latencyMs` to these operations; empty for all. */
  only: string[];
  /** Ends `status`, `hang` and `disconnect` after so many calls; 0 for no end. */
  times: number;
  /** Refunds end as NAO_REALIZADO. */
  refuseRefunds: boolean;
  /** Refunds stay EM_PROCESSAMENTO this long. */
  slowRefundsMs: number;
  /** PUT devolucao is carried out, then answered with 500. */
  loseRefundAnswers: boolean;
  /** PUT cob is carried out, then answered with 500. */
  loseChargeAnswers: boolean;
  /** Charges come without `pixCopiaECola`. */
  omitPixCopiaECola: boolean;
};

export const noFaults: Readonly<Faults> = {
  dropCallbacks: false,
  duplicateCallbacks: false,
  delayCallbacksMs: 0,
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
  omitPixCopiaECola: false,
};

export type CallFault = {
  latencyMs: number;
  instead: 'status' | 'hang' | 'disconnect' | null;
  status: number;
};

/** What befalls one call of the API Pix. Counts it against `times`. */
export function takeCallFault(faults: Faults, operation: string): CallFault {
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
