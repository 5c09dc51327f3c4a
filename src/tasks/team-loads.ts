import { Inject, Injectable } from '@nestjs/common';
import { type Deadline } from '../../packages/fair/deadline.js';
import { type FairSemaphore } from '../../packages/fair/semaphore.js';
import { type User } from '../workflows/fields/field-type.js';
import { type Load, loadOfPeople } from './store/open-tasks.js';
import { type Sight } from '../workflows/model/roles.js';
import { Scope } from '../workflows/model/scope.js';
import { UnitOfWork } from '../workflows/model/unit-of-work.js';
import { type Workflow, type Workspace } from '../workflows/model/workspace.js';
import { SCANS } from '../workflows/model/workspace.module.js';
import { Workspaces } from '../workflows/model/workspaces.js';

export interface WorkReader {
  readonly user: User;
  readonly workspace: Workspace;
  readonly workflows: readonly Workflow[];
  /** The time zone that decides when a day begins for the user. */
  readonly timeZone: string;
}

export interface TeamLoad {
  readonly workflow: Workflow;
  readonly loads: readonly Load[];
}

/** Counts each person's open tasks by one statement, in the workflows in which a reader sees all tasks. */
@Injectable()
export class TeamLoads {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    @Inject(SCANS) private readonly scans: FairSemaphore,
  ) {}

  /** Returns the loads of the workflows that have open tasks and in which the reader sees all tasks. */
  async seenBy(reader: WorkReader, deadline: Deadline | undefined): Promise<TeamLoad[]> {
    const scope = firstScope(reader, deadline);
    if (!scope) return [];
    const found = await this.work.read(scope, async (db) => {
      const workspace = await this.workspaces.get(scope.workspaceId);
      const { whole } = sightIn(workspace, reader);
      const loads = await this.scans.use(scope, () => loadOfPeople(db, workspace, whole, reader.timeZone));
      return workflowsIn(workspace, whole).map((workflow) => ({
        workflow,
        loads: loads.filter(({ workflowId }) => workflowId === workflow.id),
      }));
    });
    return found.filter(({ loads }) => loads.length > 0);
  }
}

/** Whether there is a workflow in which the reader sees all tasks. */
export const seesTeam = (reader: WorkReader): boolean => sightIn(reader.workspace, reader).whole.length > 0;

/**
 * Returns a scope of the reader's first workflow, for a statement about all workflows of the reader. Returns
 * undefined if the reader has no workflows.
 */
export function firstScope(
  { user, workflows }: WorkReader,
  deadline: Deadline | undefined,
): Scope | undefined {
  const [first] = workflows;
  return first && new Scope(first, { userId: user.id }, deadline);
}

export const sightIn = ({ permissions }: Workspace, { user }: WorkReader): Sight =>
  permissions.sightOf(user.id);

export const workflowsIn = ({ workflows }: Workspace, ids: readonly number[]): Workflow[] =>
  [...workflows.values()].filter(({ id }) => ids.includes(id));
