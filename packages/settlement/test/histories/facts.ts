/** The facts about money, in the bank's view and in the service's. Amounts are centavos, times epoch milliseconds. */
export type ReturnState = 'asked' | 'under way' | 'made' | 'refused';

export type Return = { id: string; by: 'service' | 'bank'; state: ReturnState; amount: number };

/** `bank` is the one that it arrived at. */
export type Pix = { id: string; bank: string; amount: number; paidAt: number; returns: Return[] };

/** A charge at a bank; without a code if the bank has none. `entries` are its Pix as the bank writes them. */
export type Charge = {
  bank: string;
  status: string;
  expiresAt: number;
  code: string;
  pix: Pix[];
  entries: readonly Entry[];
};

/** A Pix as a bank writes it. */
export type Entry = Readonly<Record<string, unknown>>;

const alive: readonly ReturnState[] = ['asked', 'under way', 'made'];

export const isAlive = ({ state }: Return) => alive.includes(state);
export const isMade = ({ state }: Return) => state === 'made';
export const isOurs = ({ by }: Return) => by === 'service';

export function sumOf(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}

/** @returns the sum of the selected returns of a Pix */
export function returned({ returns }: Pix, which: (one: Return) => boolean): number {
  return sumOf(returns.filter(which).map(({ amount }) => amount));
}

export function centavos(reais: number | string): number {
  return Math.round(Number(reais) * 100);
}

export function reais(amount: number): string {
  return (amount / 100).toFixed(2);
}
