/** The lines of a text that are not blank, without the space before them; of more than `most`, one more and no others. */
export function splitLines(text: Uint8Array, most: number): Uint8Array[] {
  const lines: Uint8Array[] = [];
  let from = endOfSpace(text, 0);
  while (from < text.length && lines.length <= most) {
    const end = text.indexOf(lineFeed, from);
    lines.push(text.subarray(from, end < 0 ? text.length : end));
    from = end < 0 ? text.length : endOfSpace(text, end);
  }
  return lines;
}

/** Whether a line holds nothing but white space. */
export function isBlank(line: Uint8Array): boolean {
  return endOfSpace(line, 0) === line.length;
}

function endOfSpace(text: Uint8Array, from: number): number {
  let at = from;
  while (isSpace(text[at])) at += 1;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === lineFeed;
}

const lineFeed = 0x0a;
