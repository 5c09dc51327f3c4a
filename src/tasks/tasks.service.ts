import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { notFound } from '../errors/errors.js';
import { FieldErrors } from '../errors/field-errors.js';
import { deleteTask } from '../records/delete-task.js';
import { findTask } from '../records/find-task.js';
import { listTasks } from '../records/list-tasks.js';
import { type JsonObject } from '../schema/json.js';
import { parseFilters } from '../schema/parse-filters.js';
import { serializeTask } from '../schema/serialize-task.js';
import { type Workflow } from '../workflows/workspace.js';
import { Workspaces } from '../workflows/workspaces.js';
import { type TaskAnswer } from './send.js';
import { type Verb, writeTask } from './write-task.js';

@Injectable()
export class TasksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
  ) {}

  /** Creates the task, or changes the one that has the payload's Unique ID. */
  async upsert(workflow: Workflow, payload: JsonObject): Promise<TaskAnswer> {
    return this.write(workflow, payload, 'upsert');
  }

  /** Changes the task of the payload's Unique ID. */
  async update(workflow: Workflow, payload: JsonObject): Promise<TaskAnswer> {
    return this.write(workflow, payload, 'update');
  }

  async read(workflow: Workflow, uniqueId: string): Promise<TaskAnswer> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      const task = await findTask(this.dataSource.manager, current, uniqueId);
      if (!task) throw notFound();
      return { json: serializeTask(current.schema, task), isCreated: false };
    });
  }

  async delete(workflow: Workflow, uniqueId: string): Promise<void> {
    await this.workspaces.withCurrent(workflow, async (current) => {
      requireUniqueId(current);
      if (!(await deleteTask(this.dataSource.manager, current, uniqueId))) throw notFound();
    });
  }

  /** The tasks that the query selects, in the order of creation: the elements of a JSON array, batch by batch. */
  async *list(workflow: Workflow, query: URLSearchParams, isActive: boolean): AsyncGenerator<string> {
    for (let after = '0', isMore = true; isMore;) {
      const batch = await this.workspaces.withCurrent(workflow, async (current) => {
        const conditions = parseFilters(current.schema, query);
        const tasks = await listTasks(
          this.dataSource.manager,
          current,
          { conditions, isActive },
          after,
          batchSize,
        );
        return { tasks, json: tasks.map((task) => serializeTask(current.schema, task)).join(',') };
      });
      if (batch.tasks.length > 0) yield batch.json;
      after = batch.tasks.at(-1)?.id ?? after;
      isMore = batch.tasks.length === batchSize;
    }
  }

  private async write(workflow: Workflow, payload: JsonObject, verb: Verb): Promise<TaskAnswer> {
    return this.workspaces.withCurrent(workflow, async (current) => {
      const { task, isCreated } = await writeTask(this.dataSource.manager, current, payload, verb);
      return { json: serializeTask(current.schema, task), isCreated };
    });
  }
}

const batchSize = 500;

function requireUniqueId({ schema }: Workflow): void {
  if (!schema.uniqueId) throw FieldErrors.of('base', 'This workflow has no Unique ID field');
}
