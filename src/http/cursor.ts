import { openSealed, sealText } from '../lib/seal.js';
import { type Position } from '../task-store/where.sql.js';
import { type Workflow } from '../workspace/workspace.js';

/** Whose list it is; what is no workflow's has the id 0. */
export type CursorHolder = Pick<Workflow, 'cursorKey' | 'id'>;

/** What tells one list of a workflow from another. */
export type ListName = readonly unknown[];

/**
 * Writes a place in a list as a text that tells nobody anything, nor lets itself be changed: an id would tell how many
 * tasks there are. The same place is the same text.
 */
export function sealCursor(workflow: CursorHolder, list: ListName, position: Position): string {
  return sealText(workflow.cursorKey, nameOf(workflow, list), JSON.stringify(position));
}

/** The place that a cursor of this very list names; undefined for any other text. */
export function openCursor(workflow: CursorHolder, list: ListName, cursor: string): Position | undefined {
  const text = openSealed(workflow.cursorKey, nameOf(workflow, list), cursor);
  return text === undefined ? undefined : (JSON.parse(text) as Position);
}

function nameOf({ id }: CursorHolder, list: ListName): Buffer {
  return Buffer.from(JSON.stringify([id, list]));
}
