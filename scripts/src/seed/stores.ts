import type { LifeName } from './lives.ts';

/** A store of the demonstration, and what it sells. */
export type SeedStore = {
  fields: { name: string } & Record<string, unknown>;
  /** Payments on an average day. */
  perDay: number;
  goods: readonly Good[];
  /** An article that is sold once, and reviewed for its amount. */
  large?: Good;
  /** Payments that wait for somebody at the end of the month, and how many minutes ago each began. */
  waiting: readonly (readonly [LifeName, number])[];
};

type Good = readonly [amount: number, observation: string];

// The service has ordered a refund that the bank refuses for the last time by then.
const owedMinutesAgo = 5 * 24 * 60;

/** The goods of `npm start`'s store: the docs page has its token, and shows its payments. */
export const demoGoods: Omit<SeedStore, 'fields'> = {
  perDay: 1.5,
  goods: [
    [19.9, 'Camiseta'],
    [49.9, 'Mochila'],
    [9.9, 'Caneca'],
  ],
  waiting: [['pending', 21]],
};

export const seedStores: readonly SeedStore[] = [
  {
    fields: { name: 'Padaria Aurora', feePercent: 0.99 },
    perDay: 4.5,
    goods: [
      [18.5, 'Café da manhã'],
      [42, 'Bolo de cenoura'],
      [7.9, 'Pão de queijo'],
      [64, 'Cesta de pães'],
      [25, 'Encomenda de sábado'],
      [12.5, 'Sonho'],
    ],
    waiting: [['pending', 8]],
  },
  {
    fields: { name: 'Livraria Pé de Página', feePercent: 1.2, feeFixed: 0.1 },
    perDay: 3,
    goods: [
      [59.9, 'Romance'],
      [120, 'Box de contos'],
      [34.9, 'Quadrinhos'],
      [89, 'Livro de receitas'],
      [45, 'Agenda 2027'],
      [76.3, 'Biografia'],
    ],
    waiting: [
      ['pending', 14],
      ['inReview', 12],
      ['owed', owedMinutesAgo],
    ],
  },
  {
    fields: { name: 'Bicicletas Giro', feePercent: 0.8, maxAmount: 20_000, reviewAbove: 5_000 },
    perDay: 2,
    goods: [
      [129.9, 'Revisão completa'],
      [49, 'Câmara de ar'],
      [310, 'Capacete'],
      [89.9, 'Par de luzes'],
      [690, 'Bicicleta infantil'],
    ],
    large: [8_750, 'Bicicleta elétrica'],
    waiting: [
      ['pending', 16],
      ['largeInReview', 11.5],
    ],
  },
];
