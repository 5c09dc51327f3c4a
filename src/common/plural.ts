/** `1 task`, `2 tasks`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The verb form that agrees with the count. */
export function agree(count: number, one: string, many: string): string {
  return count === 1 ? one : many;
}
