import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { format } from 'prettier';

/** A table; the first column is text, the others are numbers. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, index) => (index === 0 ? '---' : '--:'))), ...rows.map(line)].join(
    '\n',
  );
}

/** Where a path of the project is. */
function fromRoot(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/** Writes parts of Markdown to a file of the project, as `npm run format` would. */
export async function writeMarkdown(path: string, parts: readonly string[]): Promise<void> {
  const text = await format(parts.join('\n\n'), { parser: 'markdown', printWidth: 110, singleQuote: true });
  await writeFile(fromRoot(path), text);
}
