import { RelationshipEntity } from '../entities/relationship.entity.js';
import { InvalidFields } from '../../../common/field-errors.js';
import { ofField } from '../../../common/message.js';
import { parseListQuery } from '../../fields/list-query.js';
import { type TaskSchema } from '../../fields/task-schema.js';
import { checkName, foundOnce, type WorkspaceScope } from '../check/kit.js';
import { sidesOfRelationship } from '../compile-workspace.js';
import { draftSchema } from '../draft-schema.js';
import { kind } from '../kind.js';
import { listSetting } from '../schema-parts.js';
import { queryOfView, view } from '../view-definition.js';

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
    checkName(one, 'name', one.name, report);
  },
  // Its page says what does not fit.
  checkSound(one, within, report) {
    const schema = schemasOf(within).get(one.workflow);
    try {
      if (schema) parseListQuery(schema, queryOfView(one));
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      for (const [name, messages] of error.fields)
        for (const message of messages)
          report(one, name === '_fields' ? 'columns' : 'query', ofField(name, message), 'warning');
    }
  },
});

const schemasOf = foundOnce(draftSchemas);

/** The schemas of all workflows, with the links between their tasks. */
function draftSchemas({ workflows, definition }: WorkspaceScope): ReadonlyMap<string, TaskSchema> {
  const slugs = [...workflows.keys()];
  const schemas = new Map<string, TaskSchema>();
  const sides = definition.relationships.flatMap(({ id, kind, from, to }) => {
    const ends = { fromWorkflowId: slugs.indexOf(from.workflow), fromName: from.name, toWorkflowId: slugs.indexOf(to.workflow), toName: to.name }; // prettier-ignore
    const row = Object.assign(new RelationshipEntity(), { id, kind, fromChange: 'freely', toChange: 'freely', ...ends }); // prettier-ignore
    return sidesOfRelationship(row, new Map(slugs.map((slug, at) => [at, slug])));
  });
  for (const [at, slug] of slugs.entries()) {
    const scope = workflows.get(slug);
    const links = sides.filter(({ workflowId }) => workflowId === at).map(({ link }) => ({ link, other: () => known(schemas, link.otherWorkflow) })); // prettier-ignore
    if (scope) schemas.set(slug, draftSchema(scope, links));
  }
  return schemas;
}

function known(schemas: ReadonlyMap<string, TaskSchema>, slug: string): TaskSchema {
  const schema = schemas.get(slug);
  if (!schema) throw new Error('a relationship leads to no workflow');
  return schema;
}
