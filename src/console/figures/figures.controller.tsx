import { Get } from '@nestjs/common';
import { create } from 'content-disposition';
import { type Figure, figureTable } from '../../automation/figures/figure.dto.js';
import { bucketOf } from '../../automation/figures/figure-query.js';
import { FiguresService } from '../../automation/figures/figures.service.js';
import { todayIn } from '../../common/calendar.js';
import { fewAtATime } from '../../common/each.js';
import { faultsOf } from '../../common/field-errors.js';
import { notFound } from '../../common/errors.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { VIEW, withoutNames } from '../board/addresses.js';
import { dayBeside } from '../board/filter-values.js';
import {
  AskedHere,
  type AskedOfPages,
  Entered,
  Pages,
  readerScope,
  WorkflowPages,
  type WorkflowRequest,
} from '../console-controller.js';
import { pageReply } from '../page.js';
import { WEEKS, weeksIn } from './figures-form.js';
import { AllFiguresPage, FiguresPage, type FiguresOfWorkflow } from './figures-page.js';
import { type Look, metricOf, shownMetrics, type ShownMetric } from './questions.js';

@WorkflowPages('workflows/:workflow/figures')
export class FiguresPageController {
  constructor(private readonly figures: FiguresService) {}

  @Get()
  async page(@Entered() entered: WorkflowRequest): Promise<Reply> {
    const { scope, query } = entered;
    const refusals: Message[] = [];
    const found = await readAll(this.figures, entered).catch((error: unknown) => {
      refusals.push(...faultsOf(error));
      return [];
    });
    const about = { scope, query, found, refusals, look: lookOf(entered) };
    return pageReply(<FiguresPage {...about} />, { status: refusals.length > 0 ? 422 : 200 });
  }

  @Get('csv')
  async table(@Entered() entered: WorkflowRequest): Promise<Reply> {
    const { scope, query } = entered;
    const name = shownMetrics.find((each) => each === query.get('_metric'));
    if (!name) throw notFound();
    query.delete('_metric');
    return figureTable(await read(this.figures, entered, name), metricOf(name).columns, {
      'Content-Disposition': create(`${scope.workflow.slug}-${name}.csv`),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    });
  }
}

/** Shows the figures of the reader's first `MAX_WORKFLOWS` workflows, without charts. */
@Pages('figures')
export class AllFiguresController {
  constructor(private readonly figures: FiguresService) {}

  @Get()
  async page(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    const { reader, request } = asked;
    const all: FiguresOfWorkflow[] = [];
    for (const workflow of reader.workflows.slice(0, MAX_WORKFLOWS)) {
      const scope = readerScope(reader, request, workflow);
      const entered = { ...asked, scope, query: new URLSearchParams() };
      all.push({ workflow, found: await readAll(this.figures, entered), look: lookOf(entered) });
    }
    return pageReply(<AllFiguresPage all={all} />);
  }
}

/** The page shows at most this many workflows, because reading more would take long. */
const MAX_WORKFLOWS = 8;

function lookOf({ reader, scope, query }: WorkflowRequest): Look {
  const measure = query.get('_time') === 'working' ? 'working' : 'elapsed';
  const hasDeadlines = scope.workflow.schema.deadlines.size > 0;
  return { reader, measure, isGrouped: !!query.get('group'), hasDeadlines };
}

const readAll = (figures: FiguresService, entered: WorkflowRequest) =>
  fewAtATime(shownMetrics, async (name) => [name, await read(figures, entered, name)] as const);

function read(
  figures: FiguresService,
  { reader, scope, query }: WorkflowRequest,
  name: ShownMetric,
): Promise<Figure> {
  const asked = withoutNames(query, new Set([WEEKS, VIEW, '_fields', '_sort']));
  // Forms also send empty controls.
  if (asked.get('group') === '') asked.delete('group');
  // `clocks` is about future days, so the chosen number of past weeks does not apply to it.
  const metric = metricOf(name);
  if (metric.daysAhead === undefined) {
    const count = Number(weeksIn(query));
    const today = todayIn(scope.workflow.timezone, reader.now);
    const first = bucketOf('week', dayBeside(today, 7 - 7 * count));
    // `flow` counts at the end of each day or week. It starts a day early, so that its first number is the
    // count at the beginning of the period.
    asked.set('from', name === 'flow' ? dayBeside(first, -1) : first);
    if (name === 'flow' && count > 4) asked.set('interval', 'week');
  }
  return figures.read(scope, metric, asked);
}
