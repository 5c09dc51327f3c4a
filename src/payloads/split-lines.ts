/** The lines of a text that are not blank. */
export function splitLines(text: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0, end = 0; from < text.length; from = end + 1) {
    end = text.indexOf(lineFeed, from);
    if (end < 0) end = text.length;
    lines.push(text.subarray(from, end));
  }
  return lines.filter((line) => !isBlank(line));
}

/** Whether a line holds nothing but white space. */
export function isBlank(line: Uint8Array): boolean {
  return line.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
}

const lineFeed = 0x0a;
