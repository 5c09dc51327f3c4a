import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../common/field-errors.js';
import { fewAtATime } from '../../common/each.js';
import { type Message } from '../../common/message.js';
import { oppositeSide } from '../../workflows/fields/protection.js';
import { type Property } from '../../workflows/fields/property.js';
import { type TaskView } from '../../workflows/fields/task-view.js';
import { type TaskRow } from '../store/task-row.js';
import { titleProperty } from '../../workflows/fields/task-title.js';
import { mayEditLinked } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { TaskLists } from './task-lists.service.js';

export interface TaskMatches extends ListedTasks {
  readonly workflow: Workflow;
  readonly hasMore: boolean;
}

interface ListedTasks {
  readonly tasks: readonly TaskRow[];
  readonly faults: readonly Message[];
}

/** A task that can be linked. `holder` is the task that would lose its link to this task. */
export interface LinkableTask {
  readonly task: TaskRow;
  readonly holder: TaskView | undefined;
}

@Injectable()
export class TaskSearches {
  constructor(private readonly lists: TaskLists) {}

  inAll(scopes: readonly Scope[], words: string): Promise<TaskMatches[]> {
    return fewAtATime(scopes, (scope) => this.inOne(scope, words, TASKS));
  }

  /** Finds tasks to which a property can link. Tasks that would lose another link come last. */
  async linkable(
    scope: Scope,
    { links }: Property,
    other: Scope,
    words: string,
  ): Promise<readonly LinkableTask[]> {
    const end = scope.workflow.schema.links.get(links?.side ?? '');
    const far = end?.isExclusive === true ? oppositeSide(end.side) : undefined;
    const name = other.workflow.schema.properties.find((each) => each.links?.side === far)?.name;
    const { tasks } = await this.inOne(other, words, 3 * LINKABLE, far && name);
    const isLinkable = ({ uniqueValue, assigneeId }: TaskRow): boolean =>
      uniqueValue !== null && mayEditLinked(scope, { workflowId: other.workflow.id, assigneeId });
    return tasks
      .filter(isLinkable)
      .map((task) => ({ task, holder: task.linked?.find(({ side }) => side === far) }))
      .toSorted((one, two) => Number(one.holder !== undefined) - Number(two.holder !== undefined))
      .slice(0, LINKABLE);
  }

  /**
   * Finds tasks by Unique ID and by words; tasks found by Unique ID come first. `links` is the name of a
   * property, whose linked tasks the result includes.
   */
  private async inOne(scope: Scope, words: string, most: number, links?: string): Promise<TaskMatches> {
    const [named, worded] = await Promise.all([
      this.named(scope, words, most + 1, links),
      this.worded(scope, words, most + 1, links),
    ]);
    const known = new Set(named.map(({ publicId }) => publicId));
    const tasks = [...named, ...worded.tasks.filter(({ publicId }) => !known.has(publicId))];
    const { faults } = worded;
    return { workflow: scope.workflow, tasks: tasks.slice(0, most), hasMore: tasks.length > most, faults };
  }

  /**
   * If the workflow has an index of words, finds the task with exactly this Unique ID. Otherwise, finds tasks
   * whose Unique ID contains the text.
   */
  private async named(scope: Scope, id: string, most: number, links?: string): Promise<readonly TaskRow[]> {
    const { uniqueId, isSearched } = scope.workflow.schema;
    if (!uniqueId) return [];
    const { name } = uniqueId;
    const asked = isSearched ? { [name]: id } : { [`${name}[contains]`]: id, _sort: name };
    return (await this.list(scope, asked, isSearched ? 1 : most, links)).tasks;
  }

  /** Searches the index of words, or the titles if the workflow has no such index. */
  private async worded(scope: Scope, words: string, most: number, links?: string): Promise<ListedTasks> {
    const { schema } = scope.workflow;
    if (schema.isSearched) return this.list(scope, { _search: words, ...newestFirst }, most, links);
    const title = titleProperty(schema.properties);
    if (!title) return { tasks: [], faults: [] };
    return this.list(scope, { [`${title.name}[contains]`]: words, ...newestFirst }, most, links);
  }

  private async list(
    scope: Scope,
    asked: Readonly<Record<string, string>>,
    most: number,
    links = '_due',
  ): Promise<ListedTasks> {
    // `_fields` limits the query to the links that the caller needs.
    const query = new URLSearchParams({ ...asked, _fields: links, _limit: String(most) });
    try {
      const { tasks } = await this.lists.page(scope, query, most);
      return { tasks, faults: [] };
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      const faults = query.has('_search') ? error.fields.flatMap(([, messages]) => messages) : [];
      return { tasks: [], faults };
    }
  }
}

const newestFirst = { _sort: '-_created' };

/** How many tasks a search shows in each workflow. */
const TASKS = 10;
/** How many tasks are offered to a person who wants to link one. */
const LINKABLE = 8;
