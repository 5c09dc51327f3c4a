import { turn } from '../turn.js';
import { type Json } from './json.js';
import { type JsonLimits, JsonReader, JsonRefusal } from './json-reader.js';

export { JsonRefusal };

/** Reads UTF-8 bytes strictly as RFC 8259, in one pass, every number as it is spelled. Throws `JsonRefusal`. */
export function readJson(bytes: Uint8Array, limits: JsonLimits): Json {
  return new JsonReader(decode(bytes), limits).read(Infinity) ?? null;
}

/** Reads JSON in slices of some milliseconds, between which other requests have the event loop. */
export async function readJsonInTurns(bytes: Uint8Array, limits: JsonLimits): Promise<Json> {
  const isLong = bytes.length > PIECE_LENGTH;
  const reader = new JsonReader(isLong ? await decodeInTurns(bytes) : decode(bytes), limits);
  for (;;) {
    const value = reader.read(performance.now() + SLICE_MS);
    // What is done next with a long body gets a turn of its own.
    if (value === undefined || isLong) await turn();
    if (value !== undefined) return value;
  }
}

const SLICE_MS = 10;
// What is decoded at a time.
const PIECE_LENGTH = 2 ** 18;
const decoder = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Uint8Array): string {
  return validly(() => decoder.decode(bytes));
}

async function decodeInTurns(bytes: Uint8Array): Promise<string> {
  const streaming = new TextDecoder('utf-8', { fatal: true });
  const texts: string[] = [];
  for (let start = 0; start < bytes.length; start += PIECE_LENGTH) {
    const piece = bytes.subarray(start, start + PIECE_LENGTH);
    texts.push(validly(() => streaming.decode(piece, { stream: true })));
    await turn();
  }
  texts.push(validly(() => streaming.decode()));
  // V8 joins concatenated texts only when they are first read; joined here, that happens in a turn of its own.
  const text = texts.join('');
  await turn();
  return text;
}

function validly(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new JsonRefusal('The JSON is not valid UTF-8.');
  }
}
