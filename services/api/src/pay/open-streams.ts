export type OpenStreams = {
  /** @returns a function that ends the stay; undefined if too many are open: of this address, for this payment, in total */
  enter(address: string, paymentId: string): (() => void) | undefined;
};

type Bounds = { perAddress: number; perPayment: number; total: number };

/**
 * Bounds connections that stay open: each one takes memory. The bound of a payment and an address keeps one payment's
 * id from taking every place.
 */
export function openStreams({ perAddress, perPayment, total }: Bounds): OpenStreams {
  const open = new Map<string, number>();
  const count = (key: string) => open.get(key) ?? 0;
  const add = (key: string, change: number) => {
    const left = count(key) + change;
    if (left > 0) open.set(key, left);
    else open.delete(key);
  };
  return {
    enter: (address, paymentId) => {
      const own = [`${address} ${paymentId}`, address, ''] as const;
      const [ofPayment, ofAddress, all] = own.map(count) as [number, number, number];
      if (ofPayment >= perPayment || ofAddress >= perAddress || all >= total) return undefined;
      for (const key of own) add(key, 1);
      return () => {
        for (const key of own) add(key, -1);
      };
    },
  };
}
