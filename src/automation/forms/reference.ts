import { randomBytes } from 'node:crypto';
import { openSealed, sealText } from '../../common/seal.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** What a page of a form carries, sealed. It comes back with the form and counts only once. */
interface PageMark {
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  /** Ten letters and digits by which a sender can ask about the post. */
  readonly reference: string;
}

type Sealer = Pick<Workflow, 'cursorKey'>;

/** The mark for a page. A page that is shown again keeps its mark, unless that has become too old. */
export function markFor(workflow: Sealer, form: string, sealed = ''): string {
  const mark = openMark(workflow, form, sealed);
  if (mark && !isTooOld(mark)) return sealed;
  return sealText(workflow.cursorKey, purpose, `${form} ${Date.now()} ${newReference()}`);
}

export const isTooOld = ({ madeAt }: PageMark): boolean => Date.now() - madeAt > LATEST_MS;

/** No person needs longer for a form. */
const LATEST_MS = 86_400_000;

/** The mark that came with a form; undefined if it was not made for this form of this workspace. */
export function openMark({ cursorKey }: Sealer, form: string, sealed: string): PageMark | undefined {
  if (sealed.length > MAX_LENGTH) return undefined;
  const [madeFor, madeAt, reference] = openSealed(cursorKey, purpose, sealed)?.split(' ') ?? [];
  return madeFor === form && reference !== undefined ? { madeAt: Number(madeAt), reference } : undefined;
}

export const newReference = (): string =>
  Array.from(randomBytes(10), (byte) => letters[byte % letters.length]).join('');

export const withRandom = (text: string, reference: string): string =>
  text.replaceAll(/\{\{\s*random\s*\}\}/g, reference);

/** 32 characters, without those that look alike. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const purpose = Buffer.from('WTS-Form');
const MAX_LENGTH = 500;
