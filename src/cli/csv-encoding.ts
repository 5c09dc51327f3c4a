import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { parse } from 'csv-parse';

/** Throws, and says where, when a file of CSV is not UTF-8, before anything of it is written: a wrong letter cannot be told from data later. */
export async function checkEncoding(path: string): Promise<void> {
  // A pipe can be read once only.
  if (!(await stat(path)).isFile() || (await isText(path))) return;
  const where = await findFault(path);
  throw new Error(`is not UTF-8 (${where}): save it as "CSV UTF-8"`);
}

async function isText(path: string): Promise<boolean> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const bytes of createReadStream(path) as AsyncIterable<Buffer>)
      decoder.decode(bytes, { stream: true });
    decoder.decode();
    return true;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
}

/** Which cell is no UTF-8. Every byte is a character here, so that the cells can be told apart. */
async function findFault(path: string): Promise<string> {
  const records = createReadStream(path).pipe(parse({ encoding: 'latin1', relax_column_count: true, relax_quotes: true, skip_empty_lines: true })); // prettier-ignore
  let header: readonly string[] | undefined;
  let row = 0;
  for await (const cells of records as AsyncIterable<readonly string[]>) {
    const at = cells.findIndex((cell) => !isUtf8(Buffer.from(cell, 'latin1')));
    if (at >= 0)
      return header ? `row ${row}, column ${header[at] ?? at + 1}` : `the header, column ${at + 1}`;
    header ??= cells.map((cell) =>
      Buffer.from(cell, 'latin1')
        .toString()
        .replace(/^\ufeff/, ''),
    );
    row += 1;
  }
  return 'its last bytes';
}
