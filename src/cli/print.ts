/** Writes a line to standard output. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Writes rows as a table, its columns aligned. */
export function printTable(head: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  for (const row of [head, ...rows]) {
    print(row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ').trimEnd()); // prettier-ignore
  }
}
