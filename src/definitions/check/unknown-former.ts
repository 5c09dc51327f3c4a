import { meantInBrackets } from '../../lib/did-you-mean.js';
import { type WorkflowDefinition, type WorkspaceDefinition } from '../../workspace/definition.js';
import { emailOf, nameOf } from '../merge/identities.js';
import { type Fault, faultAt } from '../source/faults.js';

/** Warns of each `was:` that renames nothing although its element is new: it is likely to be misspelt. */
export function warnOfUnknownFormer(stored: WorkspaceDefinition, file: WorkspaceDefinition): Fault[] {
  const known = new Map(stored.workflows.map((workflow) => [workflow.id, workflow]));
  const users = file.users.map((holder) => ({
    holder,
    was: holder.was?.toLowerCase(),
    now: emailOf(holder),
  }));
  return [
    ...unknown({ place: stored.workspace.id, thing: 'user' }, stored.users.map(emailOf), users),
    ...file.workflows.flatMap((workflow) => ofWorkflow(known.get(workflow.id), workflow)),
  ];
}

function ofWorkflow(stored: WorkflowDefinition | undefined, file: WorkflowDefinition): Fault[] {
  if (!stored) return [];
  const { id: place, stages, fields, checklist } = stored;
  const titles = checklist.map(({ title }) => title);
  const items = file.checklist.map((holder) => ({ holder, was: holder.was, now: holder.title }));
  return [
    ...unknown({ place, thing: 'stage' }, stages.map(nameOf), file.stages.map(toUse)),
    ...unknown({ place, thing: 'field' }, fields.map(nameOf), file.fields.map(toUse)),
    ...unknown({ place, thing: 'checklist item' }, titles, items),
  ];
}

interface Use {
  readonly holder: object;
  readonly was: string | undefined;
  readonly now: string;
}

function toUse(holder: { readonly name: string; readonly was?: string }): Use {
  return { holder, was: holder.was, now: holder.name };
}

function unknown(
  { place, thing }: { readonly place: string; readonly thing: string },
  names: readonly string[],
  uses: readonly Use[],
): Fault[] {
  const stored = new Set(names);
  return uses.flatMap(({ holder, was, now }) => {
    if (was === undefined || stored.has(was) || stored.has(now)) return [];
    const message = `${place} has no ${thing} ${was}${meantInBrackets(was, names)}; ${now} is added, nothing is renamed`;
    return [faultAt(holder, 'was', message)];
  });
}
