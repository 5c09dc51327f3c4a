import Type, { type Static } from 'typebox';
import { ofWorkflows, query, refers } from './marks.js';
import { closedMapping, idText, nameText } from './schema-parts.js';

/** The setting for a board or list that the users of a workspace share. */
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
      description: 'The id of the workflow whose tasks it shows.',
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
      ...refers('field', { beside: 'everything', at: ofWorkflows('workflow'), isCheckedThere: true }),
      title: 'Columns',
      description: 'The keys that a list shows, or the cards of a board.',
      examples: [['Stage', 'Assigned To', '_due']],
      default: [],
      maxItems: 100,
    }),
  },
  {
    ...closedMapping,
    title: 'View',
    description:
      'A named board or list for everybody who can see its workflow. It shows nobody more than they may see.',
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

/** A shared view of a definition. */
export type ViewDefinition = Static<typeof view>;

/** The query of the view's page, with its columns. */
export function queryOfView({ query, columns }: Pick<ViewDefinition, 'query' | 'columns'>): URLSearchParams {
  const asked = new URLSearchParams(query);
  for (const name of columns) asked.append('_fields', name);
  return asked;
}
