import { Injectable } from '@nestjs/common';
import { type RunKind, type RunResult } from '../../database/column-values.js';
import { nowhere, readStretch, type Stretch } from '../../http/paged-list.js';
import { notFound } from '../../lib/errors.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { type Scope } from '../../workspace/scope.js';
import { type Workflow } from '../../workspace/workspace.js';
import { fewAtATime } from '../../lib/few-at-a-time.js';
import { Entrances } from '../entrances.js';
import { refusedCursor } from '../refused-cursor.js';
import { type AdminRequest, pageOf } from './admin-pages.js';
import { watchedBy } from './executions.controller.js';

/** Something of a workflow that somebody administers. */
export interface PlacedThing<Thing> {
  readonly workflow: Workflow;
  readonly thing: Thing;
}

/** What starts actions by itself in the workflows that somebody administers. */
@Injectable()
export class Administered {
  constructor(
    private readonly entrances: Entrances,
    private readonly runs: RunsService,
  ) {}

  /** The workflow that the path names; 404 where the reader does not administer it. */
  async enter({ reader, request }: AdminRequest): Promise<Scope> {
    const workflow = watchedBy(reader).find(({ slug }) => slug === request.params['workflow']);
    if (!workflow) throw notFound();
    return this.entrances.enter(reader, request, workflow.slug);
  }

  /** What each of the workflows has of something, in their order. */
  async all<Thing>(
    { reader, request }: AdminRequest,
    has: (workflow: Workflow) => boolean,
    list: (scope: Scope) => Promise<readonly Thing[]>,
  ): Promise<PlacedThing<Thing>[]> {
    const found = await fewAtATime(watchedBy(reader).filter(has), async ({ slug }) => {
      const scope = await this.entrances.enter(reader, request, slug);
      return (await list(scope)).map((thing) => ({ workflow: scope.workflow, thing }));
    });
    return found.flat();
  }

  /** The runs of a rule or schedule that the address asks for. */
  async runsOf(scope: Scope, kind: RunKind, id: string, asked: AskedRuns): Promise<Stretch<ShownRun>> {
    const { result, after } = asked;
    const page = { ...pageOf(undefined, after), ...(result !== undefined && { result }) };
    const list = await this.runs.listOfStarter(scope, kind, id, page, nowhere).catch(refusedCursor);
    return readStretch<ShownRun>(list);
  }
}

/** Which runs are asked for. */
export interface AskedRuns {
  readonly result: RunResult | undefined;
  readonly after: string | undefined;
}
