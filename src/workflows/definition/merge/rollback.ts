import { type WorkspaceDefinition } from '../../model/definition.js';
import { byList, type Holding, type Kind } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { nameAfter, type RecordedChanges, type FormerVersion } from '../store/history.js';
import { kindsWithin } from '../kinds.js';
import { nameOfElement, partsOfKey } from './identities.js';
import { isRenamed, kindInKey } from './renames.js';
import { readStored, type SourceDefinition } from '../source/read-definition.js';

/**
 * Makes a file that restores a former definition. Its `was:` settings reverse later renames, so that tasks
 * keep their values. `since` holds the changes of each later version, oldest first.
 */
export function rollbackDefinition(
  former: WorkspaceDefinition,
  since: readonly RecordedChanges[],
): WorkspaceDefinition {
  const restored = restoreLists('workspace', former, [], since);
  return {
    ...restored,
    workflows: restored.workflows.map((workflow) => restoreLists('workflow', workflow, [workflow.id], since)),
  };
}

function restoreLists<Holder extends object>(
  holding: Holding,
  holder: Holder,
  path: readonly string[],
  since: readonly RecordedChanges[],
): Holder {
  const lists = byList(kindsWithin(holding).filter(isRenamed), (kind) =>
    listIn(holder, kind.list).map((each) => restored(kind, each, path, since)),
  );
  return { ...holder, ...lists };
}

function restored(
  kind: Kind,
  element: object,
  path: readonly string[],
  since: readonly RecordedChanges[],
): object {
  const now = keyNow(kind, path, partsOfKey(kind, element), since)?.at(-1);
  return now === undefined || now === nameOfElement(kind, element) ? element : { ...element, was: now };
}

/** Returns the names in an element's key after these changes. Undefined if the changes remove the element. */
function keyNow(
  kind: Kind,
  path: readonly string[],
  key: readonly string[],
  since: readonly RecordedChanges[],
): readonly string[] | undefined {
  return since.reduce<readonly string[] | undefined>((current, changes) => {
    const above = current?.slice(0, -1).map((part, at) => {
      const named = kindInKey(kind, at);
      return (named && nameAfter(changes, named, [...path, part])) ?? part;
    });
    const name = above && nameAfter(changes, kind.name, [...path, ...above, current?.at(-1) ?? '']);
    return name === undefined ? undefined : [...(above ?? []), name];
  }, key);
}

/** The definition of a former version as a file, with `was:` for each element that has been renamed since. */
export function formerDefinition(workspace: string, { former, since }: FormerVersion): SourceDefinition {
  const source = readStored(former.definition, `version ${former.version} of ${workspace}`);
  return { ...source, definition: rollbackDefinition(source.definition, since) };
}
