import t from 'tap';
import { lookAgain } from '../../src/deliveries/look-again.ts';

/** A look during which some slots come free. @returns whether another is to follow at once */
function look(
  again: ReturnType<typeof lookAgain>,
  {
    freed = 0,
    short = false,
    mayHaveLeft = false,
  }: { freed?: number; short?: boolean; mayHaveLeft?: boolean },
): boolean {
  again.begin();
  for (let slot = 0; slot < freed; slot += 1) again.freed();
  if (short) again.fellShort();
  return again.end(mayHaveLeft);
}

const hasRoom = () => true;

t.test('before the first look, a free slot is a reason for it', async (t) => {
  t.equal(lookAgain(hasRoom).freed(), true);
});

const looks = [
  { what: 'took all that is due', freed: 3, follows: false, after: false },
  { what: 'had too few slots', freed: 0, short: true, follows: false, after: true },
  { what: 'had too few slots, and one came free', freed: 1, short: true, follows: true, after: true },
  { what: 'may have left something', freed: 0, mayHaveLeft: true, follows: false, after: true },
  {
    what: 'may have left something, and a slot came free',
    freed: 1,
    mayHaveLeft: true,
    follows: true,
    after: true,
  },
];

for (const { what, follows, after, ...how } of looks)
  t.test(`a look that ${what}`, async (t) => {
    const again = lookAgain(hasRoom);
    t.equal(look(again, how), follows, 'is followed by another at once');
    t.equal(again.freed(), after, 'is followed by another when a slot comes free');
  });

t.test('slots that come free during a look are no reason for another before it has ended', async (t) => {
  const again = lookAgain(hasRoom);
  again.begin();
  t.equal(again.freed(), false);
  again.fellShort();
  t.equal(again.freed(), false);
});

t.test('while nothing may be claimed, nothing is a reason to look', async (t) => {
  let room = 0;
  const again = lookAgain(() => room > 0);
  t.equal(look(again, { freed: 1, short: true }), false);
  t.equal(again.freed(), false);
  room = 1;
  t.equal(again.freed(), true, 'until there is room');
});
