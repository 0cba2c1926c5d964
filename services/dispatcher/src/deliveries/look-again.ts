export type LookAgain = {
  /**
   * Makes a look.
   * @param take says how many deliveries it claimed
   * @returns whether another should follow at once; rejects with what `take` does
   */
  look(take: () => Promise<number>): Promise<boolean>;
  /** The present look has too few slots for what may be due. */
  fallsShort(): void;
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
  let isShort = false;
  let freedMeanwhile = false;
  return {
    look: async (take) => {
      isBehind = isShort = freedMeanwhile = false;
      try {
        const claimed = await take();
        isBehind = claimed > 0 || isShort;
        return claimed > 0 || (isBehind && freedMeanwhile && hasRoom());
      } catch (error) {
        // It may have left anything.
        isBehind = true;
        throw error;
      }
    },
    fallsShort: () => {
      isShort = true;
    },
    freed: () => {
      freedMeanwhile = true;
      return isBehind && hasRoom();
    },
  };
}
