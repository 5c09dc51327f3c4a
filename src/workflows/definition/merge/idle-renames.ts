import { type Change } from '../../model/changed-definition.js';
import { type WorkspaceDefinition } from '../../model/definition.js';
import { type Holding } from '../../model/kind.js';
import { listIn } from '../../model/list-in.js';
import { kindsWithin } from '../kinds.js';
import { type Fault, faultAt } from '../source/faults.js';
import { formerOf, identityOf, nameOfElement, partsOfKey } from './identities.js';
import { formerIdentity, isRenamed } from './renames.js';

/**
 * A fault for each `was:` that renames nothing because the new name is taken. Without the fault, the element
 * with the former name would stay beside the new one unnoticed. There is no fault if the file lists the former
 * name, too.
 */
export const faultsOfRenames = (formers: readonly Former[]): Fault[] =>
  formers
    .filter(({ isLeftBeside }) => isLeftBeside)
    .map(({ element, name, was }) => {
      const message = `cannot rename ${was}, because ${name} exists already; leave \`was\` out to keep both`;
      return faultAt(element, 'was', message);
    });

/** Adds a note to each added element whose `was:` renames nothing. */
export function noteIdleRenames(changes: readonly Change[], formers: readonly Former[]): Change[] {
  const formerNames = new Map(formers.map(({ label, was }) => [label, was]));
  return changes.map((change) => {
    const was = change.kind === 'add' ? formerNames.get(`${change.what} ${change.name}`) : undefined;
    return was === undefined ? change : { ...change, detail: `was: ${was} renames nothing` };
  });
}

/** An element that has `was:` in the file. */
interface Former {
  readonly element: object;
  readonly name: string;
  readonly was: string;
  /** The kind and the name as in a `Change`, such as `field vendors / Tier`. */
  readonly label: string;
  /** Whether the merged definition has an element with the former name that the file does not list. */
  readonly isLeftBeside: boolean;
}

/** The elements of the file that have `was:`. */
export function formersIn(file: WorkspaceDefinition, merged: WorkspaceDefinition): Former[] {
  const workflows = new Map(merged.workflows.map((workflow) => [workflow.id, workflow]));
  return [
    ...formersWithin('workspace', [], file, merged),
    ...file.workflows.flatMap((workflow) =>
      formersWithin('workflow', [workflow.id], workflow, workflows.get(workflow.id) ?? {}),
    ),
  ];
}

const formersWithin = (holding: Holding, path: readonly string[], file: object, merged: object): Former[] =>
  kindsWithin(holding)
    .filter(isRenamed)
    .flatMap((kind) => {
      const listed = new Set(listIn(file, kind.list).map((element) => identityOf(kind, element)));
      const present = new Set(listIn(merged, kind.list).map((element) => identityOf(kind, element)));
      return listIn(file, kind.list).flatMap((element) => {
        const was = formerOf(element);
        const former = formerIdentity(kind, element);
        if (was === undefined || former === undefined) return [];
        const name = nameOfElement(kind, element);
        const label = `${kind.name} ${[...path, ...partsOfKey(kind, element)].join(' / ')}`;
        return { element, name, was, label, isLeftBeside: present.has(former) && !listed.has(former) };
      });
    });
