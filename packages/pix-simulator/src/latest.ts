const kept = 1_000;

/** Adds to a list that keeps only what came last: a bank may run for months. */
export function addToLatest<One>(list: One[], one: One): void {
  list.push(one);
  if (list.length > kept) list.shift();
}
