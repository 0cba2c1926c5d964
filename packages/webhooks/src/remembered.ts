const kept = 1_000;

/**
 * @param make is costly, and gives the same for the same text; what it throws is not kept
 * @returns the same function, with what it gave for the last texts at hand: those of a store come one after the other
 */
export function remembered<Made>(make: (text: string) => Made): (text: string) => Made {
  const known = new Map<string, Made>();
  return (text) => {
    const old = known.get(text);
    if (old !== undefined) return old;
    const made = make(text);
    if (known.size >= kept) known.clear();
    known.set(text, made);
    return made;
  };
}
