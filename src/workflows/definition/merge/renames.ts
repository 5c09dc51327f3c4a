import {
  type DefinitionRenames,
  type Renames,
  renamesOf,
  type RenamesWithin,
} from '../../model/changed-definition.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Holding, type Kind } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { markOf, type MarkedSchema, type NamedKind } from '../../model/marks.js';
import { partsOfWorkflow, partsOfWorkspace } from '../../model/names.js';
import { type NameNow, renameNames } from './rename-names.js';
import { kindsWithin } from '../kinds.js';
import { definitionSchema } from '../source/definition-schema.js';
import { formerOf, identityFrom, identityOf, nameKeyOf, nameOfElement, partsOfKey } from './identities.js';

const settingOf = ({ schema }: Pick<Kind, 'schema'>, key: string): MarkedSchema | undefined => {
  const items: MarkedSchema = schema.items;
  return items.properties?.[key];
};

export const isRenamed = (kind: Kind): boolean => settingOf(kind, 'was') !== undefined;

/** Finds each `was:` that renames a stored element. */
export function findRenames(stored: WorkspaceDefinition, file: WorkspaceDefinition): DefinitionRenames {
  const workflows = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  return {
    workspace: renamesWithin('workspace', stored, file),
    workflows: new Map(
      file.workflows.map((workflow) => {
        const before = workflows.get(workflow.id);
        return [workflow.id, before ? renamesWithin('workflow', before, workflow) : new Map()];
      }),
    ),
  };
}

/**
 * Finds renames kind by kind, because the key of an element may contain the name of another element, whose
 * kind comes earlier. For example, the key of a checklist item contains the name of its stage.
 */
function renamesWithin(holding: Holding, stored: object, file: object): RenamesWithin {
  const found = new Map<string, Renames>();
  for (const kind of kindsWithin(holding).filter(isRenamed)) {
    const before = listIn(stored, kind.list).map((element) => presentIdentity(kind, element, found));
    const wanted = listIn(file, kind.list).map((element) => ({
      was: formerIdentity(kind, element),
      id: identityOf(kind, element),
      now: nameOfElement(kind, element),
    }));
    found.set(kind.name, effective(before, wanted));
  }
  return found;
}

/**
 * The identity of a stored element. If its key contains the name of another element, and that element is
 * renamed, the identity has the new name.
 */
function presentIdentity(kind: Kind, element: object, renames: RenamesWithin): string {
  const parts = partsOfKey(kind, element).map((part, at) => {
    const named = kindInKey(kind, at);
    return (named && renamesOf(renames, named).get(part)) ?? part;
  });
  return identityFrom(kind, parts);
}

/**
 * A part of a key may be the name of another element. Returns the kind of that element, such as `stage`.
 * Returns undefined for the last part, which is the element's own name.
 */
export const kindInKey = (kind: Kind, at: number): NamedKind | undefined =>
  at < kind.key.length - 1 ? markOf(settingOf(kind, kind.key[at] ?? ''))?.to : undefined;

export function formerIdentity(kind: Kind, element: object): string | undefined {
  const former = formerOf(element);
  return former === undefined ? undefined : identityFrom(kind, partsOfKey(kind, element).with(-1, former));
}

/** Whether the `was` of an element in a file renames a stored element. */
export const isRenaming = (kind: Kind, element: object, within: RenamesWithin | undefined): boolean =>
  renamesOf(within, kind.name).get(formerIdentity(kind, element) ?? '') === nameOfElement(kind, element);

interface Wanted {
  readonly was: string | undefined;
  readonly id: string;
  readonly now: string;
}

/**
 * Returns the renames that take effect. The former name must be stored, and the new name must be free or
 * become free by another rename. A second apply of the same file renames nothing, because the former name is
 * gone or the new name is taken.
 */
function effective(stored: readonly string[], wanted: readonly Wanted[]): Renames {
  const names = new Set(stored);
  const renames = new Map<string, string>();
  let pending = wanted.filter(({ was }) => was !== undefined);
  for (;;) {
    const ready = pending.find(({ was, id }) => was !== undefined && names.has(was) && !names.has(id));
    if (ready?.was === undefined) return renames;
    renames.set(ready.was, ready.now);
    names.delete(ready.was);
    pending = pending.filter((other) => other !== ready && other.id !== ready.id);
  }
}

export const isAnyRename = ({ workspace, workflows }: DefinitionRenames): boolean =>
  [workspace, ...workflows.values()].some((within) => [...within.values()].some(({ size }) => size > 0));

/** Copies a stored definition with new names. The copy's objects have no `SourcePlace`. */
export function renameStored(stored: WorkspaceDefinition, renames: DefinitionRenames): WorkspaceDefinition {
  const copy = structuredClone(stored);
  if (!isAnyRename(renames)) return copy;
  const nameNow: NameNow = (to, name, workflows) =>
    renamesOf(renames.workspace, to).get(to === 'user' ? name.toLowerCase() : name) ??
    workflows.flatMap((id) => renamesOf(renames.workflows.get(id), to).get(name) ?? [])[0] ??
    name;
  for (const part of partsOfWorkspace(definitionSchema, copy)) renameNames(part, nameNow);
  renameOwn('workspace', copy, renames.workspace);
  for (const workflow of copy.workflows) {
    for (const part of partsOfWorkflow(definitionSchema, workflow, copy)) renameNames(part, nameNow);
    renameOwn('workflow', workflow, renames.workflows.get(workflow.id));
  }
  return copy;
}

/** Renames the elements themselves, after `renameNames` has replaced the names in their keys. */
function renameOwn(holding: Holding, holder: object, within: RenamesWithin | undefined): void {
  for (const kind of kindsWithin(holding)) {
    const renames = renamesOf(within, kind.name);
    for (const element of renames.size > 0 ? listIn(holder, kind.list) : []) {
      const now = renames.get(identityOf(kind, element));
      if (now !== undefined) Reflect.set(element, nameKeyOf(kind), now);
    }
  }
}
