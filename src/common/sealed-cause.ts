import { type Cause } from './origin.js';
import { openSealed, sealText } from './seal.js';

/** The header that carries a cause through other systems, spelled as in `request.headers`. */
export const CAUSE_HEADER = 'wts-cause';

/** How long a sealed cause is valid, in milliseconds. */
const GOOD_FOR_MS = 600_000;
/** A chain of ten links is shorter. */
const MAX_LENGTH = 4096;

interface SealedCause {
  readonly cause: Cause;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The holder of the key: the workspace of a cause, or one of its workflows. */
interface KeyHolder {
  readonly cursorKey: Buffer;
}

/** Seals a cause so that only the same workspace can read it, for ten minutes. */
export function sealCause({ cursorKey }: KeyHolder, cause: Cause, now = Date.now()): string {
  const sealed: SealedCause = { cause, at: now };
  return sealText(cursorKey, purpose, JSON.stringify(sealed));
}

/** The cause in a header; undefined if it is absent, forged, expired or from another workspace. */
export function openCause(
  { cursorKey }: KeyHolder,
  header: string | string[] | undefined,
): Cause | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined;
  const text = openSealed(cursorKey, purpose, header);
  if (text === undefined) return undefined;
  const { cause, at } = JSON.parse(text) as SealedCause;
  return Math.abs(Date.now() - at) <= GOOD_FOR_MS ? cause : undefined;
}

const purpose = Buffer.from('WTS-Cause');
