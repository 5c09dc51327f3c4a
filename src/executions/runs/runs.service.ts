import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config.js';
import { type RunKind } from '../../entities/column-values.js';
import { pagedList, type RequestAddress } from '../../http/paged-list.js';
import { type TaskList } from '../../http/replies.js';
import { type Telling } from '../../lib/message.js';
import { taskUrlOf } from '../../lib/public-address.js';
import { findTaskKey } from '../../task-store/task-keys.js';
import { type Scope } from '../../workspace/scope.js';
import { type TaskName, textOfName } from '../../workspace/task-name.js';
import { UnitOfWork } from '../../workspace/unit-of-work.js';
import { Workspaces } from '../../workspace/workspaces.js';
import { type RunsQuery, showRun, type UrlOfTask } from './run.dto.js';
import { type ListedRun, listRuns, type RunFilter } from './runs.repository.js';

/** Lists runs. */
@Injectable()
export class RunsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The runs on a task, newest first; all of them or one page. */
  async listOfTask(
    scope: Scope,
    name: TaskName,
    query: RunsQuery,
    address: RequestAddress,
    told?: Telling,
  ): Promise<TaskList> {
    const { taskId } = await this.work.read(scope, (db, current) => findTaskKey(db, current, name));
    return this.list(scope, ['runs', textOfName(name)], { taskId }, query, address, told);
  }

  /** The runs of a rule, clock or schedule of the workflow, newest first; all of them or one page. */
  async listOfStarter(
    scope: Scope,
    kind: RunKind,
    id: string,
    query: RunsQuery,
    address: RequestAddress,
    told?: Telling,
  ): Promise<TaskList> {
    const starter = { workflowId: scope.workflow.id, kind, id };
    return this.list(scope, ['runs', kind, id], { starter }, query, address, told);
  }

  private async list(
    scope: Scope,
    name: readonly string[],
    filter: RunFilter,
    { result, ...page }: RunsQuery,
    address: RequestAddress,
    told?: Telling,
  ): Promise<TaskList> {
    const urlOf = await this.urls(scope.workspaceId);
    const db = this.work.db(scope);
    const read = (after: string, limit: number) =>
      listRuns(db, scope.workspaceId, { ...filter, result }, after, limit);
    const write = ({ run }: ListedRun): string => JSON.stringify(showRun(run, urlOf, told));
    return pagedList({ scope, name: [...name, result], read, write }, page, address, this.config);
  }

  private async urls(workspaceId: number): Promise<UrlOfTask> {
    const { workflows } = await this.workspaces.get(workspaceId);
    const slugs = new Map(Array.from(workflows.values(), ({ id, slug }) => [id, slug]));
    const template = taskUrlOf(this.config);
    return (workflowId, publicId) =>
      template
        .replaceAll('{workflow}', () => encodeURIComponent(slugs.get(workflowId) ?? ''))
        .replaceAll('{task}', () => publicId);
  }
}
