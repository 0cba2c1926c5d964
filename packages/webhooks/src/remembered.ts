const kept = 1_000;

/**
 * Caches a function's results. The same texts often follow each other.
 * @param make costly, with the same result for the same texts; its errors are not cached
 * @returns the function with a cache
 */
export function remembered<Texts extends string[], Made>(
  make: (...texts: Texts) => Made,
): (...texts: Texts) => Made {
  const known = new Map<string, Made>();
  return (...texts) => {
    const key = JSON.stringify(texts);
    const old = known.get(key);
    if (old !== undefined) return old;
    const made = make(...texts);
    if (known.size >= kept) known.clear();
    known.set(key, made);
    return made;
  };
}
