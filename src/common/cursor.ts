import { openSealed, sealText } from './seal.js';

/** The owner of a list: a workflow. For a list outside workflows, the id is 0. */
export interface CursorHolder {
  readonly id: number;
  readonly cursorKey: Buffer;
}

/** The position of an element in a list: its sort keys as texts. Long texts are truncated. */
export type Position = readonly (string | null)[];

/** Identifies a list within its workflow. */
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
