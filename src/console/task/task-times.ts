import { Injectable } from '@nestjs/common';
import { type ShownClock } from '../../clocks/clock.dto.js';
import { ClocksService } from '../../clocks/clocks.service.js';
import { nowhere, readStretch, type Stretch } from '../../http/paged-list.js';
import { asItIs } from '../../lib/message.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { type Scope } from '../../workspace/scope.js';
import { type TaskName } from '../../workspace/task-name.js';

/** Reads the deadlines of a task and what was started on it by itself, by the services of the API. */
@Injectable()
export class TaskTimes {
  constructor(
    private readonly deadlines: ClocksService,
    private readonly runs: RunsService,
  ) {}

  /** The clocks of a task; a workflow without any costs no round trip. */
  async clocks(scope: Scope, name: TaskName): Promise<readonly ShownClock[]> {
    return scope.workflow.clocks.length === 0 ? [] : this.deadlines.list(scope, name, asItIs);
  }

  /** The runs before this cursor, or the last. */
  async latestRuns(scope: Scope, name: TaskName, after?: string): Promise<Stretch<ShownRun>> {
    const page = { _limit: String(RUNS), ...(after !== undefined && { _after: after }) };
    return readStretch<ShownRun>(await this.runs.listOfTask(scope, name, page, nowhere, asItIs));
  }
}

/** Of the last, at first and whenever somebody asks for more. */
const RUNS = 50;
