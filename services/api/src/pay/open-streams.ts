export type OpenStreams = {
  /** @returns a function that ends the stay; undefined if too many are open, of this address or in total */
  enter(address: string): (() => void) | undefined;
};

/** Bounds connections that stay open: each one takes memory, and nothing else ends it. */
export function openStreams({ perAddress, total }: { perAddress: number; total: number }): OpenStreams {
  const byAddress = new Map<string, number>();
  let open = 0;
  return {
    enter: (address) => {
      const own = byAddress.get(address) ?? 0;
      if (own >= perAddress || open >= total) return undefined;
      byAddress.set(address, own + 1);
      open += 1;
      return () => {
        open -= 1;
        const left = (byAddress.get(address) ?? 0) - 1;
        if (left > 0) byAddress.set(address, left);
        else byAddress.delete(address);
      };
    },
  };
}
