import fc from 'fast-check';
import type { Faults } from './bank.ts';
import type { Scan } from './operations.ts';
import type { Step, Telling } from './plans.ts';

const { constantFrom, integer, record, subarray, tuple } = fc;

/** Reads that lack something. Those of what was just asked for are the ones that matter. */
const reads = ['getCob', 'getPix', 'listPix', 'getDevolucao', 'patchCob'] as const;
const some = subarray([...reads], { minLength: 1 });
const oftenAll = fc.oneof({ weight: 2, arbitrary: fc.constant([...reads]) }, { weight: 3, arbitrary: some });

/** A bank that does not show all that it has. */
export const lying: fc.Arbitrary<Faults> = record({
  what: constantFrom<Faults>(
    { lagSeconds: 5 },
    { lagSeconds: 30 },
    { lagSeconds: 90 },
    { hide: ['charges'] },
    { hide: ['pix'] },
    { hide: ['refunds'] },
    { hide: ['refunds'] },
    { oddAmounts: true },
    { withoutRefundIds: true },
  ),
  only: oftenAll,
  times: integer({ min: 1, max: 4 }),
}).map(({ what, ...rest }) => ({ ...what, ...rest }));

const plainly: Telling = { old: 0, turned: false, twice: false, odd: null };
const scan = (name: Scan, bank: number): Step => ({ kind: 'scan', scan: name, bank });
const pass = (seconds: number): Step => ({ kind: 'pass', seconds });
const well = (bank: number): Step => ({ kind: 'faults', bank, faults: {} });

type Scene = { of: number; bank: number; share: number; only: readonly string[]; odd: Telling['odd'] };

const told = ({ of, bank }: Scene): Step => ({ kind: 'tell', of, bank, ...plainly });
const oddly = (scene: Scene): Step => ({ ...told(scene), odd: scene.odd }) as Step;
const paid = ({ of }: Scene): Step => ({ kind: 'pay', of, amount: 'exact', leftover: false });
const taken = ({ of, share }: Scene, slow: boolean): Step => ({
  ...{ kind: 'med', of, pix: 0, share, slow, refused: false },
});
const lies = ({ bank, only }: Scene, faults: Faults): Step => ({
  ...{ kind: 'faults', bank, faults: { ...faults, only } },
});

/** A return is told of while reads lack it. */
const toldOfReturn = (scene: Scene): Step[] => [
  ...[paid(scene), scan('reconcile', scene.bank), taken(scene, false)],
  ...[lies(scene, { hide: ['refunds'] }), oddly(scene), pass(15), scan('setAside', scene.bank)],
];

/** A return in process is hidden for minutes, and shown again. */
const doubtedReturn = (scene: Scene): Step[] => {
  const { bank } = scene;
  const hidden = { ...scene, only: reads };
  const look = [pass(61), scan('carryOut', bank)];
  return [
    ...[paid(scene), told(scene), taken(scene, true), told(scene), lies(hidden, { hide: ['refunds'] })],
    ...[...look, ...look, ...look, ...look, ...look, well(bank)],
    ...[told(scene), scan('reconcile', bank), { kind: 'decide', of: scene.of, to: 'next' } as const],
  ];
};

/** The bank takes money back, and nobody says so before it is paid out. */
const paidOutUnasked = (scene: Scene): Step[] => {
  const next: Step = { kind: 'decide', of: scene.of, to: 'next' };
  const rest: Step[] = scene.share > 50 ? [next, taken(scene, false)] : [taken(scene, scene.share > 30)];
  return [paid(scene), scan('reconcile', scene.bank), ...rest, next, next];
};

/** The answer to a refund is lost, and the bank's copies do not show it yet. */
const refundUnheard = (scene: Scene): Step[] => {
  const { bank } = scene;
  const again = [pass(15), scan('carryOut', bank)];
  return [
    ...[
      paid(scene),
      paid(scene),
      told(scene),
      { kind: 'faults', bank, faults: { loseRefundAnswers: true } } as const,
    ],
    ...[scan('carryOut', bank), lies({ ...scene, only: reads }, { hide: ['refunds'] }), ...again, ...again],
    well(bank),
  ];
};

/** Two Pix are told of, and reads show only the first. */
const secondUnseen = (scene: Scene): Step[] => [
  ...[paid(scene), pass(61), paid(scene), lies(scene, { lagSeconds: 40 }), told(scene)],
  ...[pass(15), scan('setAside', scene.bank), pass(15), scan('setAside', scene.bank)],
];

/** A person looks at a day before its end, and the scan comes after it. */
const lookedEarly = (scene: Scene): Step[] => {
  const { bank } = scene;
  const look: Step = { kind: 'look', bank };
  return [paid(scene), look, pass(601), paid(scene), pass(2 * 86_400), scan('checkDays', bank)];
};

/** PostgreSQL's clock was hours ahead once. The next scan comes a minute after it is right. */
const wrongClock = (scene: Scene): Step[] => {
  const { bank, share } = scene;
  const ahead = share * 216;
  return (['reconcile', 'returned'] as const).flatMap((name): Step[] => [
    ...[paid(scene), { kind: 'scan', scan: name, bank, ahead } as const, paid(scene)],
    ...[pass(61), scan(name, bank)],
  ]);
};

/** Steps in an order that single steps seldom come in. */
export const episode = (bank: fc.Arbitrary<number>): fc.Arbitrary<Step[]> => {
  const scene = record({
    of: constantFrom(0, 0, 1, 1, 2),
    bank,
    share: constantFrom(100, 30, 50),
    only: oftenAll,
    odd: constantFrom(null, null, 'amounts' as const, 'ids' as const),
  });
  const kinds = constantFrom(
    toldOfReturn,
    doubtedReturn,
    paidOutUnasked,
    refundUnheard,
    secondUnseen,
    lookedEarly,
    wrongClock,
  );
  return tuple(kinds, scene).map(([steps, at]) => steps(at));
};
