const kept = 1_000;

/**
 * Caches a function's results. A store's texts often follow each other.
 * @param make costly, with the same result for the same text; its errors are not cached
 * @returns the function with a cache
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
