import t from 'tap';
import { lookAgain } from '../../src/deliveries/look-again.ts';

type Look = { claimed?: number; freed?: number; short?: boolean; fails?: boolean };

/** @returns whether another look is to follow at once, if it does not fail */
function look(again: ReturnType<typeof lookAgain>, how: Look): Promise<boolean | undefined> {
  const { claimed = 0, freed = 0, short = false, fails = false } = how;
  const looking = again.look(async () => {
    for (let slot = 0; slot < freed; slot += 1) again.freed();
    if (short) again.fallsShort();
    if (fails) throw new Error('the database is away');
    return claimed;
  });
  return looking.catch(() => undefined);
}

const hasRoom = () => true;

t.test('before the first look, a free slot is a reason for it', async (t) => {
  t.equal(lookAgain(hasRoom).freed(), true);
});

const looks: (Look & { what: string; follows: boolean | undefined; after: boolean })[] = [
  { what: 'found nothing, with slots to spare', freed: 3, follows: false, after: false },
  { what: 'found something', claimed: 1, follows: true, after: true },
  { what: 'had too few slots', short: true, follows: false, after: true },
  { what: 'had too few slots, and one came free', short: true, freed: 1, follows: true, after: true },
  { what: 'failed', fails: true, follows: undefined, after: true },
];

for (const { what, follows, after, ...how } of looks)
  t.test(`a look that ${what}`, async (t) => {
    const again = lookAgain(hasRoom);
    t.equal(await look(again, how), follows, 'is followed by another at once');
    t.equal(again.freed(), after, 'is followed by another when a slot comes free');
  });

t.test('slots that come free during a look are no reason for another before it has ended', async (t) => {
  const again = lookAgain(hasRoom);
  const follows = await again.look(async () => {
    t.equal(again.freed(), false);
    again.fallsShort();
    t.equal(again.freed(), false);
    return 0;
  });
  t.equal(follows, true);
});

t.test('while nothing may be claimed, nothing is a reason to look', async (t) => {
  let room = 0;
  const again = lookAgain(() => room > 0);
  t.equal(await look(again, { freed: 1, short: true }), false);
  t.equal(again.freed(), false);
  room = 1;
  t.equal(again.freed(), true, 'until there is room');
});
