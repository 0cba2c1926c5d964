/** What happens to a payment after its creation, in order. */
export type Step =
  | { pay: string | 'exactly' }
  | { until: string }
  | { status: string }
  | { refund: number | 'all' };

export type SeedPayment = { amount: number; observation: string; steps: Step[] };
export type SeedStore = { fields: { name: string } & Record<string, unknown>; payments: SeedPayment[] };

const approved: Step[] = [{ pay: 'exactly' }, { until: 'approved' }];
const paid: Step[] = [...approved, { status: 'paid' }];
const withdrawing: Step[] = [...paid, { status: 'withdrawal_processing' }];

const payment = (amount: number, observation: string, steps: Step[] = []): SeedPayment => ({
  amount,
  observation,
  steps,
});

/** Three stores with payments in every status, and with refunds. */
export const seedStores: SeedStore[] = [
  {
    fields: { name: 'Padaria Aurora', feePercent: 0.99 },
    payments: [
      payment(18.5, 'Café da manhã', approved),
      payment(42, 'Bolo de cenoura', approved),
      payment(7.9, 'Pão de queijo', paid),
      payment(64, 'Cesta de pães', [...approved, { refund: 14 }]),
      payment(25, 'Encomenda de sábado'),
      payment(12.5, 'Sonho', [{ status: 'not_approved' }]),
    ],
  },
  {
    fields: { name: 'Livraria Pé de Página', feePercent: 1.2, feeFixed: 0.1 },
    payments: [
      payment(59.9, 'Pedido 2001', [...withdrawing, { status: 'receipt_sent' }]),
      payment(120, 'Pedido 2002', [...withdrawing, { status: 'rejected' }]),
      payment(34.9, 'Pedido 2003', [...approved, { refund: 'all' }, { until: 'not_approved' }]),
      payment(89, 'Pedido 2004', [{ pay: '80.00' }, { until: 'review' }]),
      // The second Pix is refunded at once.
      payment(45, 'Pedido 2005', [...approved, { pay: 'exactly' }]),
      payment(76.3, 'Pedido 2006'),
    ],
  },
  {
    fields: { name: 'Bicicletas Giro', feePercent: 0.8, maxAmount: 20_000, reviewAbove: 5_000 },
    payments: [
      payment(4_990, 'Bicicleta urbana', approved),
      payment(8_750, 'Bicicleta elétrica', [{ pay: 'exactly' }, { until: 'review' }]),
      payment(129.9, 'Revisão completa', withdrawing),
      payment(49, 'Câmara de ar', approved),
      payment(310, 'Capacete'),
    ],
  },
];
