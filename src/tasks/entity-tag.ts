import { type IncomingHttpHeaders } from 'node:http';
import { noPrecondition, type Precondition } from '../records/precondition.js';
import { type TaskView } from '../schema/task-view.js';
import { type Workflow } from '../workflows/workspace.js';

/** `"<version>-<hash>"`: the version counts changes of the task, the hash stands for the definition it is shown by. */
export function entityTag({ version }: Workflow, task: TaskView): string {
  return `"${task.version}-${version.toString(36)}"`;
}

/** What `If-Match` and `If-None-Match: *` demand of the task that a write meets; a strange tag matches no version. */
export function readPrecondition(headers: IncomingHttpHeaders): Precondition {
  const ifMatch = headers['if-match'];
  if (headers['if-none-match']?.trim() === '*') return { mustExist: ifMatch !== undefined, versions: [] };
  if (ifMatch === undefined) return noPrecondition;
  return { mustExist: true, versions: ifMatch.trim() === '*' ? undefined : versionsIn(ifMatch) };
}

/** Whether the client has this very body already. */
export function isKnown(headers: IncomingHttpHeaders, tag: string): boolean {
  const known = headers['if-none-match']?.split(',').map((text) => text.trim().replace(/^W\//, '')) ?? [];
  return known.includes('*') || known.includes(tag);
}

function versionsIn(tags: string): number[] {
  return tags.split(',').flatMap((tag) => {
    const version = Number(/^"(\d{1,9})-\w+"$/.exec(tag.trim())?.[1]);
    return version > 0 ? [version] : [];
  });
}
