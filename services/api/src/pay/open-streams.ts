export type OpenStreams = {
  /** @returns a function that ends the stay; undefined if too many are open: of this address, of this payment, in total */
  enter(address: string, paymentId: string): (() => void) | undefined;
};

type Bounds = { perAddress: number; perPayment: number; total: number };

/** Bounds connections that stay open: each one takes memory, and whoever knows one payment could take every place. */
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
      const [ofAddress, ofPayment, all] = [`address ${address}`, `payment ${paymentId}`, 'all'];
      if (count(ofAddress) >= perAddress || count(ofPayment) >= perPayment || count(all) >= total)
        return undefined;
      const change = (by: number) => {
        for (const key of [ofAddress, ofPayment, all]) add(key, by);
      };
      change(1);
      return () => change(-1);
    },
  };
}
