import { checkName } from '../check/kit.js';
import { kind } from '../kind.js';
import { listSetting, closedMapping, idText, nameText } from '../schema-parts.js';
import Type, { type Static } from 'typebox';
import { ofWorkflows, query, refers } from '../marks.js';
import { type Workflow, type Workspace } from '../workspace.js';

export const view = Type.Object(
  {
    id: idText({ title: 'Id of the view', description: 'Identifies the view in the workspace.' }),
    name: nameText({
      title: 'Name of the view',
      description: 'Shown in the side bar.',
    }),
    workflow: Type.String({
      ...refers('workflow'),
      title: 'Workflow',
      description: 'The id of the workflow whose tasks the view shows.',
    }),
    as: Type.Enum(['board', 'list'], {
      title: 'As',
      description: 'How the tasks are shown.',
      default: 'board',
    }),
    query: Type.String({
      ...query(ofWorkflows('workflow')),
      title: 'Query',
      description:
        'A query, as for lists of tasks: filters and `_sort`. In names and values, & and = are percent-encoded.',
      examples: ['Risk=High&_active=true&_sort=_due'],
      maxLength: 4000,
      default: '',
    }),
    columns: Type.Array(Type.String(), {
      ...refers('field', { otherKeys: 'everything', at: ofWorkflows('workflow'), isCheckedThere: true }),
      title: 'Columns',
      description: 'The keys that a list, or each card of a board, shows.',
      examples: [['Stage', 'Assigned To', '_due']],
      default: [],
      maxItems: 100,
    }),
  },
  {
    ...closedMapping,
    title: 'View',
    description:
      'A named board or list for everybody who can see its workflow. The view shows people only what they may see.',
    examples: [
      {
        id: 'risky',
        name: 'Risky and open',
        workflow: 'requests',
        as: 'list',
        query: 'Risk=High&_active=true',
        columns: ['Stage', 'Assigned To'],
      },
    ],
  },
);

function queryOfView({ query, columns }: Pick<Static<typeof view>, 'query' | 'columns'>): URLSearchParams {
  const asked = new URLSearchParams(query);
  for (const name of columns) asked.append('_fields', name);
  return asked;
}

export const views = kind({
  name: 'view',
  list: 'views',
  of: 'workspace',
  key: ['id'],
  schema: listSetting(view, {
    title: 'Views',
    description: 'Boards and lists with a name, shared by everybody; identified by id.',
    maxItems: 100,
  }),
  check(one, _within, report) {
    checkName(one.name, report.at(one, 'name'));
  },
});

export interface View {
  readonly id: string;
  readonly name: string;
  readonly workflow: Workflow;
  readonly as: 'board' | 'list';
  readonly query: string;
}

export function viewsKnownIn({ rows }: Workspace, workflows: readonly Workflow[]): View[] {
  return views.in(rows.workspace).flatMap(({ id, name, workflow: slug, as, ...asked }) => {
    const workflow = workflows.find((each) => each.slug === slug);
    return workflow ? { id, name, workflow, as, query: queryOfView(asked).toString() } : [];
  });
}
