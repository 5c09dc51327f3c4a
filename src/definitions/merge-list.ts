/**
 * Merges two lists by identity; the file's elements replace stored ones. Order: the file's where it names every stored
 * element; otherwise the stored order, and a new element goes right behind its predecessor in the file, or, having
 * none, right before its successor, or to the end.
 */
export function mergeList<T>(
  stored: readonly T[],
  file: readonly T[],
  identify: (element: T) => string,
): T[] {
  const named = new Map(file.toReversed().map((element) => [identify(element), element]));
  if (stored.every((element) => named.has(identify(element)))) return [...file];
  const merged = stored.map((element) => named.get(identify(element)) ?? element);
  file.forEach((element, index) => {
    if (!merged.includes(element)) merged.splice(positionOf(index, file, merged), 0, element);
  });
  return merged;
}

function positionOf<T>(index: number, file: readonly T[], merged: readonly T[]): number {
  const predecessor = file[index - 1];
  if (predecessor !== undefined) return merged.indexOf(predecessor) + 1;
  const successor = merged.findIndex((element) => file.includes(element));
  return successor < 0 ? merged.length : successor;
}
