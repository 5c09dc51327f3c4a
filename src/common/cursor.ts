import { openSealed, sealText } from './seal.js';

/** The workflow to which a list belongs. For a list outside workflows, `id` is 0. */
export interface CursorHolder {
  readonly id: number;
  readonly cursorKey: Buffer;
}

/** Where an element stands in a list: the values of its sort keys, as texts. Long texts are cut. */
export type Position = readonly (string | null)[];

/** Distinguishes a list from the other lists of its workflow. A cursor of one list is invalid in another. */
export type ListName = readonly unknown[];

/**
 * Encrypts a position in a list, so that clients cannot read or change the position. A readable id would
 * reveal the number of tasks. The same position always gives the same text.
 */
export function sealCursor(workflow: CursorHolder, list: ListName, position: Position): string {
  return sealText(workflow.cursorKey, nameOf(workflow, list), JSON.stringify(position));
}

/** Decrypts the position in a cursor of this list. Returns undefined for any other text. */
export function openCursor(workflow: CursorHolder, list: ListName, cursor: string): Position | undefined {
  const text = openSealed(workflow.cursorKey, nameOf(workflow, list), cursor);
  return text === undefined ? undefined : (JSON.parse(text) as Position);
}

function nameOf({ id }: CursorHolder, list: ListName): Buffer {
  return Buffer.from(JSON.stringify([id, list]));
}
