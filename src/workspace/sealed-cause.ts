import { type Cause } from '../entities/cause.js';
import { openSealed, sealText } from '../lib/seal.js';
import { type Workflow } from './workspace.js';

/** The header by which a cause travels through other systems, in the spelling of `request.headers`. */
export const CAUSE_HEADER = 'wts-cause';

/** Milliseconds for which a sealed cause is good. */
const GOOD_FOR_MS = 600_000;
/** Ten links of a chain take less. */
const MAX_LENGTH = 4096;

interface SealedCause {
  readonly cause: Cause;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Whose cause it is: one workspace does not take those of another. */
type KeyHolder = Pick<Workflow, 'cursorKey'>;

/** Writes a cause as a text that only the same workspace can read, for ten minutes. */
export function sealCause({ cursorKey }: KeyHolder, cause: Cause, now = Date.now()): string {
  const sealed: SealedCause = { cause, at: now };
  return sealText(cursorKey, purpose, JSON.stringify(sealed));
}

/** The cause that a header carries; undefined where it is absent, forged, of another workspace or too old. */
export function openCause(
  { cursorKey }: KeyHolder,
  header: string | string[] | undefined,
  now = Date.now(),
): Cause | undefined {
  if (typeof header !== 'string' || header.length > MAX_LENGTH) return undefined;
  const text = openSealed(cursorKey, purpose, header);
  if (text === undefined) return undefined;
  const { cause, at } = JSON.parse(text) as SealedCause;
  return Math.abs(now - at) <= GOOD_FOR_MS ? cause : undefined;
}

const purpose = Buffer.from('WTS-Cause');
