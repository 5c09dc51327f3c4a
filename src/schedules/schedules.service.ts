import { Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { nextFirings } from '../calendars/firings.js';
import { serviceTime } from '../database/shared-data-source.js';
import { recordEvent } from '../events/record-event.js';
import { idempotentRequest, once } from '../http/idempotency.js';
import { Doorbell } from '../ops/doorbell.js';
import { noSchedule } from '../workspace/not-found.js';
import { type ScheduleDefinition } from '../workspace/schedule-definition.js';
import { type Scope } from '../workspace/scope.js';
import { UnitOfWork } from '../workspace/unit-of-work.js';
import { type Workflow } from '../workspace/workspace.js';
import { Workspaces } from '../workspace/workspaces.js';
import { type ShownSchedule } from './schedule.dto.js';
import {
  askForFiring,
  pauseSchedule,
  scheduleJob,
  type ScheduleKey,
  scheduleStatesOf,
  type ShownState,
} from './schedule-states.repository.js';
import { timetableOf } from './timetable.js';

/** The schedules of a workflow, for administrators. */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly work: UnitOfWork,
    private readonly workspaces: Workspaces,
    private readonly doorbell: Doorbell,
  ) {}

  async list(scope: Scope): Promise<ShownSchedule[]> {
    return this.work.read(scope, async (db, { workflow }) => {
      await this.workspaces.assertInForce(workflow.workspaceId, workflow.version);
      return shownSchedules(db, workflow);
    });
  }

  /** The schedule of this id; 404 if it does not exist. */
  require({ workflow }: Scope, id: string): ScheduleDefinition {
    const schedule = workflow.schedules.find((each) => each.id === id);
    if (!schedule) throw noSchedule(workflow, id);
    return schedule;
  }

  /** Makes a schedule fire now, outside its timetable, even if it is paused. */
  async run(scope: Scope, id: string, key: string | undefined): Promise<void> {
    const asked = await this.once(scope, 'schedules/run', id, key, async (tx, current) => {
      this.require(current, id);
      await askForFiring(tx, keyOf(current.workflow, id));
      return keyOf(current.workflow, id);
    });
    this.doorbell.ring(scheduleJob, asked);
  }

  /** Pauses or resumes a schedule; records an event if that changes its state. */
  async pause(scope: Scope, id: string, isPaused: boolean, key?: string): Promise<ShownSchedule> {
    const route = isPaused ? 'schedules/pause' : 'schedules/resume';
    return this.once(scope, route, id, key, async (tx, { workflow, origin }) => {
      const { workspaceId, id: workflowId } = workflow;
      if (await pauseSchedule(tx, keyOf(workflow, id), isPaused))
        await recordEvent(tx, {
          workspaceId,
          type: isPaused ? 'schedule.paused' : 'schedule.resumed',
          workflowId,
          origin: origin?.source,
          about: { schedule: id },
        });
      const shown = (await shownSchedules(tx, workflow)).find((schedule) => schedule.id === id);
      if (!shown) throw noSchedule(workflow, id);
      return shown;
    });
  }

  private async once<T>(
    scope: Scope,
    route: string,
    id: string,
    key: string | undefined,
    work: (tx: EntityManager, scope: Scope) => Promise<T>,
  ): Promise<T> {
    const request = idempotentRequest(scope, key, { route, path: [id], body: new Map() });
    return this.work.transaction(scope, (tx, current) => once(tx, request, () => work(tx, current)));
  }
}

const keyOf = ({ workspaceId, id: workflowId }: Workflow, scheduleId: string): ScheduleKey => ({
  workspaceId,
  workflowId,
  scheduleId,
});

/** The number of future firings that are shown. */
const SHOWN = 5;

async function shownSchedules(db: EntityManager, workflow: Workflow): Promise<ShownSchedule[]> {
  const states = await scheduleStatesOf(db, workflow);
  const now = serviceTime(db);
  return workflow.schedules.map((schedule) => showSchedule(schedule, workflow, states.get(schedule.id), now));
}

function showSchedule(
  schedule: ScheduleDefinition,
  workflow: Workflow,
  state: ShownState | undefined,
  time: Date,
): ShownSchedule {
  const { id, cron } = schedule;
  const timetable = timetableOf(schedule, workflow);
  const now = (state?.now ?? time).getTime();
  const { lastNominal, lastAt, lastResult } = state ?? {};
  return {
    id,
    cron,
    timezone: timetable?.zone.name ?? workflow.timezone,
    state: state?.isPaused === true ? 'paused' : 'active',
    next: timetable
      ? nextFirings(timetable, now, SHOWN).map(({ instant }) => new Date(instant).toISOString())
      : [],
    last:
      lastNominal != null && lastAt != null && lastResult != null
        ? { nominal: lastNominal, at: lastAt.toISOString(), result: lastResult }
        : null,
  };
}
