import { turn } from '../../packages/fair/turn.js';

/** A line of a body, without the line feed. */
export type Line = Uint8Array | typeof tooLong;

/** Stands for a line that is longer than the limit. */
export const tooLong = Symbol('a line that is too long');

/**
 * Reads lines on demand, in groups that arrived together. Skips blank lines, and returns `tooLong` for a line
 * of more than `maxLineBytes`. If the source fails, drops the unfinished line.
 */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  maxLineBytes: number,
): AsyncGenerator<Line[]> {
  const line = new OpenLine(maxLineBytes);
  for await (const bytes of source) {
    const lines: Line[] = [];
    let from = 0;
    for (let end = bytes.indexOf(lineFeed); end >= 0; end = bytes.indexOf(lineFeed, from)) {
      const isEmpty = end === from && line.isEmpty;
      if (!isEmpty) {
        line.add(bytes.subarray(from, end));
        lines.push(...line.take());
      }
      from = end + 1;
    }
    line.add(bytes.subarray(from));
    if (lines.length > 0) yield lines;
    // Gives other work a turn, because the loop does not wait for bytes that have already arrived.
    await turn();
  }
  const last = line.take();
  if (last.length > 0) yield last;
}

const lineFeed = 0x0a;

/** The line that is being read. Drops the bytes of a line that is too long. */
class OpenLine {
  private pieces: Uint8Array[] = [];
  private length = 0;

  constructor(private readonly maxBytes: number) {}

  get isEmpty(): boolean {
    return this.length === 0;
  }

  add(piece: Uint8Array): void {
    this.length += piece.length;
    if (this.length > this.maxBytes) this.pieces = [];
    else if (piece.length > 0) this.pieces.push(piece);
  }

  /** Returns the line unless it is blank, and begins a new one. */
  take(): Line[] {
    const { pieces, length } = this;
    this.pieces = [];
    this.length = 0;
    if (length > this.maxBytes) return [tooLong];
    const line = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces, length);
    return isBlank(line) ? [] : [line];
  }
}

function isBlank(line: Uint8Array): boolean {
  return line.every(isBlankByte);
}

export const isBlankByte = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === lineFeed;
