import { type Change } from './change.js';
import { type WorkflowDefinition } from './definition.js';
import { diffList } from './diff-list.js';
import { emailOf, idOf, itemKey, nameOf } from './identities.js';

/** The changes within a workflow; none where it is new, as its own line tells of it then. */
export function diffWorkflow(stored: WorkflowDefinition | undefined, merged: WorkflowDefinition): Change[] {
  if (!stored) return [];
  const of = { what: 'workflow', name: merged.id };
  const byId = { of, identify: idOf, label: labelled(merged, idOf) };
  const byName = {
    of,
    identify: nameOf,
    label: labelled(merged, nameOf),
    former: formerName(merged),
    name: nameOf,
  };
  return [
    ...diffList(stored.stages, merged.stages, { ...byName, what: 'stage', list: 'stages' }),
    ...diffList(stored.fields, merged.fields, { ...byName, what: 'field', list: 'fields' }),
    ...diffList(stored.checklist, merged.checklist, {
      what: 'checklist item',
      of,
      list: 'checklist',
      identify: itemKey,
      label: ({ stage, title }) => `${merged.id} / ${stage} / ${title}`,
      former: ({ stage, was }) => was && `${merged.id} / ${stage} / ${was}`,
      name: ({ title }) => title,
    }),
    ...diffList(stored.roles, merged.roles, { ...byId, what: 'role', list: 'roles' }),
    ...diffList(stored.members, merged.members, {
      what: 'member',
      of,
      list: 'members',
      identify: emailOf,
      label: labelled(merged, ({ email }) => email),
    }),
    ...diffList(stored.actions, merged.actions, { ...byId, what: 'action', list: 'actions' }),
  ];
}

function labelled<T>({ id }: WorkflowDefinition, name: (element: T) => string): (element: T) => string {
  return (element) => `${id} / ${name(element)}`;
}

function formerName({ id }: WorkflowDefinition): (element: { was?: string }) => string | undefined {
  return ({ was }) => was && `${id} / ${was}`;
}
