import { RelationshipEntity } from '../../workspace/entities/relationship.entity.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { ofField } from '../../lib/message.js';
import { draftSchema } from '../../schedules/check-queries.js';
import { parseListQuery } from '../../schema/list-query.js';
import { type TaskSchema } from '../../schema/task-schema.js';
import { checkDistinct, checkName, type Report, type WorkspaceScope } from '../../workspace/check/kit.js';
import { sidesOfRelationship } from '../../workspace/compile-workspace.js';
import { queryOfView } from '../../workspace/view-definition.js';

/** Reports faults of the shared views of a workspace, except for those of their queries. */
export function checkViews({ definition: { views } }: WorkspaceScope, report: Report): void {
  for (const view of views) checkName(view, 'name', view.name, report);
  const ids = views.map((holder) => ({ holder, key: 'id', text: holder.id }));
  checkDistinct(ids, 'is the id of another view', report);
}

/** Warns of views whose queries do not fit the tasks of their workflow; their pages say what does not fit. */
export function warnOfUnfitViews(scope: WorkspaceScope, report: Report): void {
  if (scope.definition.views.length === 0) return;
  const schemas = draftSchemas(scope);
  for (const view of scope.definition.views) {
    const schema = schemas.get(view.workflow);
    try {
      if (schema) parseListQuery(schema, queryOfView(view));
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      for (const [name, messages] of error.fields)
        for (const message of messages)
          report(view, name === '_fields' ? 'columns' : 'query', ofField(name, message), 'warning');
    }
  }
}

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
