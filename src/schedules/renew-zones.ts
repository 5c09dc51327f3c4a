import { type EntityManager } from 'typeorm';
import { nextFirings } from '../calendars/firings.js';
import { type Logger } from '../lib/logger.js';
import { findWorkflow } from '../workspace/workspace.js';
import { type Workspaces } from '../workspace/workspaces.js';
import { moveSchedule, scheduleLeases, schedulesOfOtherZoneData, zoneData } from './schedule-states.repository.js'; // prettier-ignore
import { timetableOf } from './timetable.js';

/** The parts of the service that this work uses. */
export interface ZoneParts {
  readonly db: EntityManager;
  readonly workspaces: Workspaces;
  readonly logger: Logger;
  readonly leaseMs: number;
}

/** Recomputes the next firings that were found with other time zone data, and logs how many moved. */
export async function renewZones({ db, workspaces, logger, leaseMs }: ZoneParts): Promise<void> {
  const others = await schedulesOfOtherZoneData(db);
  let moved = 0;
  for (const other of others) {
    const claimed = await scheduleLeases.claim(db, other, leaseMs);
    if (!claimed) continue;
    const workflow = findWorkflow(await workspaces.get(other.workspaceId), other.workflowId);
    const schedule = workflow?.schedules.find(({ id }) => id === other.scheduleId);
    const timetable = workflow && schedule && timetableOf(schedule, workflow);
    const [next] = timetable ? nextFirings(timetable, other.countedFrom.getTime(), 1) : [];
    const nextAt = next ? new Date(next.instant) : null;
    if (nextAt?.getTime() !== other.nextAt?.getTime()) moved += 1;
    if (timetable) await moveSchedule(db, claimed, { nextAt, zoneData });
    await scheduleLeases.release(db, claimed);
  }
  if (others.length > 0)
    logger.info({ zoneData, schedules: others.length, moved }, 'schedules use new time zone data now');
}
