import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../../config.js';
import { pagedList, type RequestAddress } from '../../common/http/paged-list.js';
import { type TaskList } from '../../common/http/replies.js';
import { taskUrlOf, urlOfTask } from '../../common/public-address.js';
import { findTaskKey } from '../../tasks/store/task-keys.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type TaskName, textOfName } from '../../workflows/model/task-name.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { knownIn, knownTo, sightOf } from '../../workflows/model/known.js';
import { findWorkflow } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type RunsQuery, showRun, type UrlOfTask } from './run.dto.js';
import { type ListedRun, listRuns, type RunFilter } from './runs.repository.js';

@Injectable()
export class RunsService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** The runs on a task, newest first: all of them, or a page. */
  async listOfTask(
    scope: Scope,
    name: TaskName,
    query: RunsQuery,
    address: RequestAddress,
  ): Promise<TaskList> {
    const { taskId } = await this.work.read(scope, (db, current) => findTaskKey(db, current, name));
    return this.list(scope, ['runs', textOfName(name)], { taskId }, query, address);
  }

  /** The runs of a starter of the workflow, newest first: all of them, or a page. */
  async listOfStarter(
    scope: Scope,
    kind: string,
    id: string,
    query: RunsQuery,
    address: RequestAddress,
  ): Promise<TaskList> {
    const starter = { workflowId: scope.workflow.id, kind, id };
    return this.list(scope, ['runs', kind, id], { starter }, query, address);
  }

  private async list(
    scope: Scope,
    name: readonly string[],
    filter: Omit<RunFilter, 'sight'>,
    { result, ...page }: RunsQuery,
    address: RequestAddress,
  ): Promise<TaskList> {
    const workspace = await this.workspaces.get(scope.workspaceId);
    const template = taskUrlOf(this.config);
    const urlOf: UrlOfTask = (workflowId, publicId) =>
      urlOfTask(template, findWorkflow(workspace, workflowId)?.slug ?? '', publicId);
    const known = knownIn(knownTo(workspace, scope.viewer));
    const sight = { ...sightOf(workspace, scope.viewer), userId: scope.viewer?.userId };
    const db = this.work.db(scope);
    const read = (after: string, limit: number) =>
      listRuns(db, scope.workspaceId, { ...filter, result, sight }, after, limit);
    const write = (run: ListedRun): string => JSON.stringify(showRun(run, { urlOf, known }));
    return pagedList({ scope, name: [...name, result], read, write }, page, address, this.config);
  }
}
