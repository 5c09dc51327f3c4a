import { writeFile } from 'node:fs/promises';

/** A table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join(
    '\n',
  );
}

/** Writes parts of Markdown to a file of the project. */
export async function writeMarkdown(path: string, parts: readonly string[]): Promise<void> {
  await writeFile(new URL(`../../${path}`, import.meta.url), `${parts.join('\n\n')}\n`);
}
