import { Injectable } from '@nestjs/common';
import { aFewAtATime } from '../board/boards.js';
import { notFound } from '../../lib/errors.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { type Property } from '../../schema/property.js';
import { oppositeSide } from '../../schema/locks.js';
import { type TaskRow } from '../../task-store/task-row.js';
import { TaskLists } from '../../tasks/list/task-lists.service.js';
import { mayEditLinked } from '../../workspace/allowed.js';
import { type Workflow } from '../../workspace/workspace.js';
import { type AskedOfPages } from '../console-controller.js';
import { Entrances } from '../entrances.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { type LinkableTasks } from '../parts/linkable.js';
import { otherWorkflow } from '../task-shown.js';
import { titleProperty } from '../../task-store/task-title.js';
import { type Scope } from '../../workspace/scope.js';
import { type Message } from '../../lib/message.js';

/** What is found in one workflow. */
export interface Found extends Listed {
  readonly workflow: Workflow;
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** Finds tasks by Unique ID and by words, by the lists of the API: so each shows what its reader sees. */
@Injectable()
export class Searches {
  constructor(
    private readonly lists: TaskLists,
    private readonly entrances: Entrances,
  ) {}

  /** What is found in some of the workflows that the reader sees, in their order, from that place on. */
  async inAll(to: SignedIn, request: PageRequest, words: string, from: number): Promise<Found[]> {
    const some = to.workflows.slice(from, from + WORKFLOWS);
    return aFewAtATime(some, async ({ slug }) =>
      this.inOne(await this.entrances.enter(to, request, slug), words, TASKS),
    );
  }

  /** What is found in one: tasks whose Unique ID is like that before those that have the words. */
  async inOne(scope: Scope, words: string, most: number, links?: string): Promise<Found> {
    const [named, worded] = await Promise.all([
      this.named(scope, words, most + 1, links),
      this.worded(scope, words, most + 1, links),
    ]);
    const known = new Set(named.map(({ publicId }) => publicId));
    const tasks = [...named, ...worded.tasks.filter(({ publicId }) => !known.has(publicId))];
    const { faults } = worded;
    return { workflow: scope.workflow, tasks: tasks.slice(0, most), hasMore: tasks.length > most, faults };
  }

  /** Tasks that the relationship of a path may lead to, of the Unique ID `q` or with these words; 404 where it is none. */
  async linkable(
    scope: Scope,
    { to, request, query, said }: AskedOfPages,
  ): Promise<LinkableTasks & { readonly property: Property }> {
    const words = (query.get('q') ?? '').trim();
    const property = scope.workflow.schema.byName.get(said('relationship'));
    const known = property?.links && otherWorkflow(scope.workflow, property, to);
    if (!property || !known) throw notFound();
    const other = await this.entrances.enter(to, request, known.slug);
    const end = scope.workflow.schema.links.get(property.links.side);
    const far = end?.isExclusive === true ? oppositeSide(end.side) : undefined;
    const name = other.workflow.schema.properties.find(({ links }) => links?.side === far)?.name;
    const { tasks } = await this.inOne(other, words, 3 * LINKABLE, far && name);
    const isLinkable = ({ uniqueValue, assigneeId }: TaskRow): boolean =>
      uniqueValue !== null && mayEditLinked(scope, { workflowId: other.workflow.id, assigneeId });
    const found = tasks
      .filter(isLinkable)
      .map((task) => ({ task, holder: task.linked?.find(({ side }) => side === far) }))
      .toSorted((one, two) => Number(one.holder !== undefined) - Number(two.holder !== undefined));
    return { property, words, workflow: other.workflow, tasks: found.slice(0, LINKABLE) };
  }

  /** The index of words also knows how Unique IDs begin; without one they are looked through, in any case. */
  private async named(scope: Scope, id: string, most: number, links?: string): Promise<readonly TaskRow[]> {
    const { uniqueId, isSearched } = scope.workflow.schema;
    if (!uniqueId) return [];
    const { name } = uniqueId;
    if (isSearched) return (await this.list(scope, [[name, id]], 1, links)).tasks;
    return (await this.list(scope, [[`${name}[contains]`, id], ['_sort', name]], most, links)).tasks; // prettier-ignore
  }

  /** Where a workflow has no such index, titles are looked through. */
  private async worded(scope: Scope, words: string, most: number, links?: string): Promise<Listed> {
    const { schema } = scope.workflow;
    if (schema.isSearched) return this.list(scope, [['_search', words], newestFirst], most, links);
    const title = titleProperty(schema.properties);
    if (!title) return { tasks: [], faults: [] };
    return this.list(scope, [[`${title.name}[contains]`, words], newestFirst], most, links);
  }

  private async list(scope: Scope, asked: string[][], most: number, links = '_due'): Promise<Listed> {
    const query = new URLSearchParams(asked);
    // Only links are read apart.
    query.set('_fields', links);
    query.set('_limit', String(most));
    try {
      const { tasks } = await this.lists.page(scope, { origin: '', path: '', query, isActive: false }, most);
      return { tasks, faults: [] };
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      return {
        tasks: [],
        faults: query.has('_search') ? error.fields.flatMap(([, messages]) => messages) : [],
      };
    }
  }
}

const newestFirst = ['_sort', '-_created'];

interface Listed {
  readonly tasks: readonly TaskRow[];
  /** Why it could not be searched for these words. */
  readonly faults: readonly Message[];
}

/** On a page. */
export const WORKFLOWS = 20;
const TASKS = 10;
const LINKABLE = 8;
