export type LookAgain = {
  /** A look at the queue begins. */
  begin(): void;
  /** A claim of the present look had too few slots for what is due. */
  fellShort(): void;
  /**
   * The look has ended.
   * @param mayHaveLeft whether it may have left something in any case
   * @returns whether another should follow at once
   */
  end(mayHaveLeft: boolean): boolean;
  /** A slot has come free. @returns whether that is a reason to look now */
  freed(): boolean;
};

/**
 * Keeps in mind whether the last look at the queue may have left something that is due, for want of slots: if not, a
 * slot that comes free is no reason to look again. One that comes free during a look is a reason only if that look
 * turns out to have left something; else each look would lead to the next for as long as anything is under way.
 * @param hasRoom whether anything may be claimed at all
 */
export function lookAgain(hasRoom: () => boolean): LookAgain {
  let isBehind = true;
  let wasShort = false;
  let freedMeanwhile = false;
  return {
    begin: () => {
      isBehind = wasShort = freedMeanwhile = false;
    },
    fellShort: () => {
      wasShort = true;
    },
    end: (mayHaveLeft) => {
      isBehind = mayHaveLeft || wasShort;
      return isBehind && freedMeanwhile && hasRoom();
    },
    freed: () => {
      freedMeanwhile = true;
      return isBehind && hasRoom();
    },
  };
}
