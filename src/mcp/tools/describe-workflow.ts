import { participants, showFields, showNamed } from '../../workflows/definition/definitions.controller.js';
import { mayWriteKey, narrowableBuiltIns } from '../../workflows/model/narrowing.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { workflowsKnownTo } from '../../workflows/model/known.js';
import { type Item, onward, partOf } from '../cut.js';
import { type Tool } from '../tool.js';

export const describeWorkflow: Tool = {
  name: 'describe_workflow',
  description:
    'Lists the workflows; with `workflow`, its stages, fields, links, actions and users, by the names that other tools take.',
  arguments: { workflow: { type: 'string' }, after: { type: 'string' } },
  required: [],
  hints: { writes: false },
  async run({ workspace, principal, scope }, given) {
    const slug = given.optional('workflow');
    const whole = await workspace();
    const items = slug === undefined ? workflowsIn(whole, workflowsKnownTo(whole, principal)) : itemsOf(whole, await scope(slug)); // prettier-ignore
    const { shown, next } = partOf(items, given.optional('after'));
    const leads = onward('describe_workflow', given.plain, next);
    return { said: 'The definition is in `values`.', structured: { ...shown, ...leads } };
  },
};

const workflowsIn = ({ slug }: Workspace, known: readonly Workflow[]): Item[] => [
  { at: 'workspace', key: 'id', value: slug },
  ...known.map((each) => ({ at: 'workflows', value: showNamed(each) })),
];

function itemsOf(workspace: Workspace, { workflow, viewer }: Scope): Item[] {
  const { schema, actions } = workflow;
  const narrowing = viewer?.narrowing;
  const slugs = new Map(workflowsKnownTo(workspace, viewer).map(({ id, slug }) => [id, slug]));
  const list = (at: string, all: readonly unknown[]): Item[] => all.map((value) => ({ at, value }));
  const links = [...schema.links.values()].map(({ name, isMultiple, otherWorkflowId }) => ({
    name,
    many: isMultiple,
    editable: mayWriteKey(narrowing, name),
    workflow: slugs.get(otherWorkflowId),
  }));
  return [
    { at: 'workflow', key: 'id', value: workflow.slug },
    { at: 'workflow', key: 'name', value: workflow.name },
    { at: 'workflow', key: 'unique_id', value: schema.uniqueId?.name ?? null },
    ...list('stages', schema.stages.all.map(({ name }) => name)), // prettier-ignore
    ...list('built_in', [...narrowableBuiltIns].map((name) => ({ name, editable: mayWriteKey(narrowing, name) }))), // prettier-ignore
    ...list('fields', showFields(workflow)),
    ...list('links', links),
    ...list('actions', actions.map(({ id, name, stages, fields }) => ({ id, name, stages, fields }))), // prettier-ignore
    ...list('users', participants(workspace, workflow).map(({ email }) => email)), // prettier-ignore
  ];
}
