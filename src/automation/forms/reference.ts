import { randomBytes } from 'node:crypto';
import { openSealed, sealText } from '../../common/seal.js';
import { type Workflow } from '../../workflows/model/workspace.js';

/** A hidden field of a form's page contains this mark, sealed. Only one post from a page creates a task. */
interface PageMark {
  /** The time when the page was made, in milliseconds since 1970. */
  readonly madeAt: number;
  /** Ten letters and digits that identify the post when its sender asks about it. */
  readonly reference: string;
}

type Sealer = Pick<Workflow, 'cursorKey'>;

/** Seals the mark of a page. A page that is shown again keeps its mark until the mark is too old. */
export function markFor(workflow: Sealer, form: string, sealed = ''): string {
  const mark = openMark(workflow, form, sealed);
  if (mark && !isTooOld(mark)) return sealed;
  return sealText(workflow.cursorKey, purpose, `${form} ${Date.now()} ${newReference()}`);
}

export const isTooOld = ({ madeAt }: PageMark): boolean => Date.now() - madeAt > LATEST_MS;

/** The longest time between showing a page and sending its form. */
const LATEST_MS = 86_400_000;

/** Opens the mark of a post. Returns undefined if the mark was not made for this form and workspace. */
export function openMark({ cursorKey }: Sealer, form: string, sealed: string): PageMark | undefined {
  if (sealed.length > MAX_LENGTH) return undefined;
  const [madeFor, madeAt, reference] = openSealed(cursorKey, purpose, sealed)?.split(' ') ?? [];
  return madeFor === form && reference !== undefined ? { madeAt: Number(madeAt), reference } : undefined;
}

export const newReference = (): string =>
  Array.from(randomBytes(10), (byte) => letters[byte % letters.length]).join('');

export const withRandom = (text: string, reference: string): string =>
  text.replaceAll(/\{\{\s*random\s*\}\}/g, reference);

/** 32 letters and digits, without those that look alike. */
const letters = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const purpose = Buffer.from('WTS-Form');
const MAX_LENGTH = 500;
