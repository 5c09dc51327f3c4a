import { type Structured } from './tool.js';

/** The bytes of the values of a result, and of one of them. A model reads all of it. */
const ROOM = 24_000;
const MOST = 8_000;

/** A result without what is too long for it. Of that, the names are given in `left_out`. */
export function fitting(structured: Structured): Structured {
  const leftOut = new Set<string>();
  let room = ROOM;
  const fit = (value: unknown, name: string): unknown => {
    if (Array.isArray(value))
      return value.map((each) => fit(each, name)).filter((each) => each !== undefined);
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).map(([key, each]): [string, unknown] => [key, fit(each, key)]);
      return Object.fromEntries(members.filter(([, each]) => each !== undefined));
    }
    const size = value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)) + Buffer.byteLength(name);
    if (size <= MOST && size <= room) {
      room -= size;
      return value;
    }
    if (leftOut.size < MAX_NAMED) leftOut.add(name.slice(0, 100).toWellFormed());
    return undefined;
  };
  const fitted = fit(structured, '') as Structured;
  return leftOut.size > 0 ? { ...fitted, left_out: [...leftOut] } : fitted;
}

const MAX_NAMED = 20;
