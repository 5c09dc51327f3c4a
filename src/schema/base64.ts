import { turn } from '../turn.js';

/**
 * How many bytes a Base64 text stands for; undefined when it is none: the standard alphabet of RFC 4648, padded or
 * not, in the one spelling that an encoder gives.
 */
export function base64Length(text: string): number | undefined {
  for (let start = 0; start < text.length; start += pieceLength) {
    const piece = text.slice(start, start + pieceLength);
    // The decoder skips what it does not know. What it read, written again, tells; no pattern is as fast.
    const bytes = Buffer.from(piece, 'base64');
    const padded = bytes.toString('base64');
    const isLast = start + pieceLength >= text.length;
    const isWhole = isLast || bytes.length === pieceBytes;
    if (!isWhole || (piece !== padded && piece !== padded.replace(/=+$/, ''))) return undefined;
    if (isLast) return (start / 4) * 3 + bytes.length;
  }
  return 0;
}

/** The bytes of a text that `base64Length` accepts, a piece at a time; between pieces others get their turn. */
export async function* decodeBase64(text: string): AsyncGenerator<Buffer, void, undefined> {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield Buffer.from(text.slice(start, start + pieceLength), 'base64');
    await turn();
  }
}

const pieceLength = 2 ** 17;
/** Four characters are three bytes. */
const pieceBytes = (pieceLength / 4) * 3;
