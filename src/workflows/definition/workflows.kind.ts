import Type from 'typebox';
import { didYouMean } from '../../common/did-you-mean.js';
import { WorkflowEntity } from '../model/entities/workflow.entity.js';
import { typesWhere } from '../fields/field-types.js';
import {
  checkDistinct,
  checkName,
  checkStage,
  type Report,
  workflowScope,
  type WorkflowScope,
} from '../model/check/kit.js';
import { readAs } from '../model/definition-reader.js';
import { type Kind, kind, listsWithoutTable, schemasOf } from '../model/kind.js';
import { type WorkflowDefinition } from '../model/definition.js';
import { closedMapping, idText, listSetting, nameText, opaque } from '../model/schema-parts.js';

const textTypes = typesWhere(({ isSearched, storage }) => isSearched && storage === 'values');

const settings = {
  id: idText({ title: 'Id of the workflow', description: 'Used in paths; unique in the workspace.' }),
  name: nameText({ title: 'Name of the workflow', description: 'Shown to people.' }),
  search: readAs(
    Type.Optional(
      Type.Boolean({
        title: 'Search',
        description: `true: lists accept \`_search\`, which finds tasks by words in their Unique ID and in fields of the types ${textTypes.slice(0, -1).join(', ')} and ${textTypes.at(-1) ?? ''}.`,
        default: false,
      }),
    ),
    (value) => value === true,
  ),
};

type WorkflowCheck = (scope: WorkflowScope, report: Report) => void;

export const workflowsOf = (kinds: readonly Kind[], checks: readonly WorkflowCheck[]) =>
  kind({
    name: 'workflow',
    list: 'workflows',
    of: 'workspace',
    key: ['id'],
    schema: listSetting(
      opaque<WorkflowDefinition>(Type.Object({ ...settings, ...schemasOf(kinds) }, words)),
      {
        title: 'Workflows',
        description: 'Identified by id.',
        maxItems: 500,
      },
    ),
    rows: {
      entity: WorkflowEntity,
      // Leaves the lists empty, because their own kinds fill them.
      spec: ({ slug, name, search }: WorkflowEntity) => ({
        ...noLists,
        id: slug,
        name,
        ...(search && { search }),
      }),
      columns: (workflow) => ({
        slug: workflow.id,
        name: workflow.name,
        search: workflow.search ?? false,
        settings: listsWithoutTable(kinds, workflow),
      }),
    },
    check: (workflow, within, report) => {
      const scope = workflowScope(within, workflow);
      checkWorkflow(scope, report);
      for (const check of checks) check(scope, report);
    },
  });

const noLists = { stages: [], fields: [], checklist: [], roles: [], members: [], actions: [] };

const words = {
  ...closedMapping,
  title: 'Workflow',
  description: 'A kind of task: its fields, stages, roles and actions.',
  examples: [
    { id: 'requests', name: 'Requests' },
    {
      id: 'orders',
      name: 'Orders',
      stages: [{ name: 'Open' }, { name: 'Done', end: true }],
      fields: [{ name: 'Order ID', type: 'uniqueId', required: true }],
    },
  ],
};

/** Checks a workflow's name, stages and relationships. Also reports a name that several actions have. */
function checkWorkflow(scope: WorkflowScope, report: Report): void {
  const { workflow } = scope;
  checkName(workflow.name, report.at(workflow, 'name'));
  checkStages(scope, report);
  const names = workflow.actions.map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another action', report);
  checkEnds(scope, report);
}

function checkStages(scope: WorkflowScope, report: Report): void {
  const { id, stages, removed_stages = [] } = scope.workflow;
  if (stages.length === 0) {
    // In a file that holds only changes, a misspelt id makes a workflow without stages.
    const others = [...scope.workspace.workflows.keys()].filter((other) => other !== id);
    report(scope.workflow, 'stages', `needs at least one stage${didYouMean(id, others)}`);
  }
  for (const removed of removed_stages) {
    const { name, move_tasks_to } = removed;
    if (scope.stages.has(name)) report(removed, 'name', 'is the name of another stage');
    if (move_tasks_to !== undefined) checkStage(move_tasks_to, scope, report.at(removed, 'move_tasks_to'));
  }
}

/**
 * Reports a name that a relationship shares with a field or another relationship. All these names are keys of
 * the same tasks.
 */
function checkEnds({ workspace, workflow, fields }: WorkflowScope, report: Report): void {
  const ends = workspace.definition.relationships.flatMap(({ from, to }) => [from, to]);
  const own = ends.filter((end) => end.workflow === workflow.id);
  const taken = new Set(own.map(({ name }) => name));
  const beside = [...fields.values()].filter(({ name }) => taken.has(name));
  const names = [...own, ...beside].map((holder) => ({ holder, key: 'name', text: holder.name }));
  checkDistinct(names, 'is the name of another field or relationship', report);
}
