import { notFound } from '../../common/errors.js';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskSearches } from '../../tasks/list/task-searches.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type AskedOfPages } from '../console-controller.js';
import { readerScope } from '../entrances.js';
import { type LinkableTasks } from '../parts/linkable.js';
import { otherWorkflow } from '../task-shown.js';

/** The tasks that the relationship of the path may lead to, found by `q`; 404 where the reader knows no such relationship. */
export async function linkableTasks(
  searches: TaskSearches,
  scope: Scope,
  { reader, request, query, said }: AskedOfPages,
): Promise<LinkableTasks & { readonly property: Property }> {
  const words = (query.get('q') ?? '').trim();
  const property = scope.workflow.schema.byName.get(said('relationship'));
  const workflow = property?.links && otherWorkflow(scope.workflow, property, reader);
  if (!property || !workflow || !reader.workflows.includes(workflow)) throw notFound();
  const tasks = await searches.linkable(scope, property, readerScope(reader, request, workflow), words);
  return { property, words, workflow, tasks };
}
