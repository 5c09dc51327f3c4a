import { turn } from '../turn.js';
import { type Json } from './json.js';
import { type JsonLimits, JsonReader, JsonRefusal } from './json-reader.js';

export { JsonRefusal };

/** Reads UTF-8 bytes strictly as RFC 8259, in one pass, every number as it is spelled. Throws `JsonRefusal`. */
export function readJson(bytes: Uint8Array, limits: JsonLimits): Json {
  return new JsonReader(decode(bytes), limits).read(Infinity) ?? null;
}

/** The same in stretches of some milliseconds, between which others have the event loop. */
export async function readJsonInTurns(bytes: Uint8Array, limits: JsonLimits): Promise<Json> {
  const text = bytes.length > pieceLength ? await decodeInTurns(bytes) : decode(bytes);
  const reader = new JsonReader(text, limits);
  for (;;) {
    const value = reader.read(performance.now() + stretchMs);
    if (value !== undefined) return value;
    await turn();
  }
}

const stretchMs = 10;
// What is decoded at a time.
const pieceLength = 2 ** 18;
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  return validly(() => decoder.decode(bytes));
}

async function decodeInTurns(bytes: Uint8Array): Promise<string> {
  const streaming = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (let start = 0; start < bytes.length; start += pieceLength) {
    const piece = bytes.subarray(start, start + pieceLength);
    text += validly(() => streaming.decode(piece, { stream: true }));
    await turn();
  }
  return text + validly(() => streaming.decode());
}

function validly(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new JsonRefusal('The JSON is not valid UTF-8.');
  }
}
