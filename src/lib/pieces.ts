/** A text of megabytes whose pieces are made when they are asked for: others have their turn between them. */
export class LongText {
  constructor(readonly pieces: () => Iterable<string>) {}

  toString(): string {
    return [...this.pieces()].join('');
  }

  /** For `pg`, where it sends a statement itself. */
  toPostgres(): string {
    return this.toString();
  }
}

/** One text of these parts, which is long where one of them is. */
export function joined(parts: readonly (string | LongText)[]): string | LongText {
  if (!parts.some((part) => part instanceof LongText)) return parts.join('');
  return new LongText(function* () {
    for (const part of parts) {
      if (typeof part === 'string') yield part;
      else yield* part.pieces();
    }
  });
}

/** What is made in a millisecond or so. */
export const PIECE_LENGTH = 2 ** 18;

/** A text in pieces, no pair of surrogates in two of them. */
export function* piecesOf(text: string, length = PIECE_LENGTH): Generator<string> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + length;
    if (/[\ud800-\udbff]/.test(text.charAt(end - 1))) end += 1;
    yield text.slice(start, end);
  }
}
