import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager } from 'typeorm';
import { type FairSemaphore } from '../../../packages/fair/semaphore.js';
import { sql } from '../../common/database/sql.js';
import { firstBehind, numberEvents } from '../../events/events.repository.js';
import { type Scope } from '../../workflows/model/scope.js';
import { UnitOfWork } from '../../workflows/model/unit-of-work.js';
import { SCANS } from '../../workflows/model/workspace.module.js';
import { type Figure } from './figure.dto.js';
import { type Metric, readFigureQuery } from './figure-query.js';

@Injectable()
export class FiguresService {
  constructor(
    private readonly work: UnitOfWork,
    @Inject(SCANS) private readonly scans: FairSemaphore,
  ) {}

  async read(scope: Scope, metric: Metric, query: URLSearchParams): Promise<Figure> {
    return this.work.read(scope, async (db, current) => {
      const asked = await readFigureQuery(db, current, metric, query);
      const imports = metric.interval && !asked.hasImports ? ' Imported tasks are left out.' : '';
      const rest = asked.conditions.length > 0 || asked.group ? judged : '';
      return this.scans.use(current, async () => ({
        definition: `${metric.definition(asked)}${imports}${rest}`,
        as_of: await followedUntil(db, current.workspaceId),
        series: await metric.read(db, asked),
      }));
    });
  }
}

const judged = ' Filters and groups use the present values of tasks. Deleted tasks are left out.';

/** Returns the time, in RFC 3339, up to which the figures of a workspace count its events. */
async function followedUntil(db: EntityManager, workspaceId: number): Promise<string> {
  // `firstBehind` finds only events that have a position, so new events get a position first.
  await numberEvents(db, workspaceId);
  const [row] = await sql<{ until: Date }>(db, readUntil, [workspaceId]);
  return (row?.until ?? new Date(0)).toISOString();
}

const readUntil = {
  name: 'figures-until',
  text: `
    SELECT COALESCE(${firstBehind('w.position')}, service_now()) AS until
    FROM followers w WHERE w.workspace_id = $1 AND w.name = 'figures'`,
};
