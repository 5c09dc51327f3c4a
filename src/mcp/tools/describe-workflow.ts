import { participants, showFields, showNamed } from '../../workflows/definition/definitions.controller.js';
import { mayWriteKey, narrowableBuiltIns } from '../../workflows/model/narrowing.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow, type Workspace } from '../../workflows/model/workspace.js';
import { workflowsKnownTo } from '../../workflows/model/known.js';
import { type Structured, type Tool } from '../tool.js';

export const describeWorkflow: Tool = {
  name: 'describe_workflow',
  description:
    'Lists the workflows; with `workflow`, its stages, fields, links, actions and users, by the names that other tools take.',
  arguments: { workflow: { type: 'string' } },
  required: [],
  hints: { writes: false },
  async run({ workspace, principal, scope }, given) {
    const slug = given.optional('workflow');
    const whole = await workspace();
    const values =
      slug === undefined
        ? workflowsIn(whole, workflowsKnownTo(whole, principal))
        : partsOf(whole, await scope(slug));
    return { said: 'The definition is in `values`.', structured: { values } };
  },
};

const workflowsIn = ({ slug }: Workspace, known: readonly Workflow[]): Structured => ({
  workspace: { id: slug },
  workflows: known.map(showNamed),
});

function partsOf(workspace: Workspace, { workflow, viewer }: Scope): Structured {
  const { schema, actions } = workflow;
  const narrowing = viewer?.narrowing;
  const slugs = new Map(workflowsKnownTo(workspace, viewer).map(({ id, slug }) => [id, slug]));
  const links = [...schema.links.values()].map(({ name, isMultiple, otherWorkflowId }) => ({
    name,
    many: isMultiple,
    editable: mayWriteKey(narrowing, name),
    workflow: slugs.get(otherWorkflowId),
  }));
  return {
    workflow: { id: workflow.slug, name: workflow.name, unique_id: schema.uniqueId?.name ?? null },
    stages: schema.stages.all.map(({ name }) => name),
    built_in: [...narrowableBuiltIns].map((name) => ({ name, editable: mayWriteKey(narrowing, name) })),
    fields: showFields(workflow),
    links,
    actions: actions.map(({ id, name, stages, fields }) => ({ id, name, stages, fields })),
    users: participants(workspace, workflow).map(({ email }) => email),
  };
}
