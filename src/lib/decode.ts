import { PIECE_LENGTH } from './pieces.js';
import { turn, type Pause } from './turn.js';

/** What decodes pieces of which a character may lie in two. */
export interface Decoder {
  decode(bytes?: Uint8Array, options?: { readonly stream: boolean }): string;
}

/** Decodes UTF-8 bytes piece by piece, between which others have the event loop. */
export async function decodeInTurns(
  bytes: Uint8Array,
  decoder: Decoder,
  pause: Pause = turn,
): Promise<string> {
  const texts: string[] = [];
  for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
    texts.push(decoder.decode(bytes.subarray(start, start + PIECE_LENGTH), { stream: true }));
    await pause();
  }
  texts.push(decoder.decode());
  // V8 joins concatenated texts only when they are first read; joined here, that happens in a turn of its own.
  const text = texts.join('');
  await pause();
  return text;
}
