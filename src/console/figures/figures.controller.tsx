import { Get } from '@nestjs/common';
import { create } from 'content-disposition';
import { figureTable } from '../../automation/figures/figure-csv.js';
import { type Figure } from '../../automation/figures/figure.js';
import { bucketOf } from '../../automation/figures/figure-query.js';
import { FiguresService } from '../../automation/figures/figures.service.js';
import { metrics } from '../../automation/figures/metrics.js';
import { todayIn } from '../../common/calendar.js';
import { fewAtATime } from '../../common/each.js';
import { faultsOf } from '../../common/field-errors.js';
import { notFound } from '../../common/errors.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { VIEW, withoutNames } from '../board/addresses.js';
import { FilterBar } from '../board/filter-bar.js';
import { dayBeside } from '../board/filter-values.js';
import { WorkflowHead } from '../board/workflow-head.js';
import { Entered, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { ConsolePage } from '../layout.js';
import { pageReply } from '../page.js';
import { WEEKS, weeksIn } from './figures-form.js';
import { FiguresPage } from './figures-page.js';
import { shownMetrics, type ShownMetric } from './questions.js';

@WorkflowPages('workflows/:workflow/figures')
export class FiguresPageController {
  constructor(private readonly figures: FiguresService) {}

  @Get()
  async page(@Entered() entered: WorkflowRequest): Promise<Reply> {
    const { reader, scope, query } = entered;
    const refusals: Message[] = [];
    const read = async (name: ShownMetric) => [name, await this.read(entered, name)] as const;
    const found = await fewAtATime(shownMetrics, read).catch((error: unknown) => {
      refusals.push(...faultsOf(error));
      return [];
    });
    const measure = query.get('_time') === 'working' ? ('working' as const) : ('elapsed' as const);
    const stages = scope.workflow.schema.stages.all;
    const ends = new Set(stages.filter(({ isEnd }) => isEnd).map(({ name }) => name));
    const look = { reader, measure, isGrouped: !!query.get('group'), ends };
    const page = <FiguresPage scope={scope} query={query} found={found} refusals={refusals} look={look} />;
    return pageReply(page, { status: refusals.length > 0 ? 422 : 200 });
  }

  @Get('filter')
  filter(@Entered() { scope, query }: WorkflowRequest): Reply {
    return pageReply(
      <ConsolePage title={`Filter: ${scope.workflow.name}`}>
        <WorkflowHead scope={scope} filters={query} at="figures" total={undefined} />
        <FilterBar workflow={scope.workflow} filters={query} at="figures" isOpen />
      </ConsolePage>,
    );
  }

  @Get('csv')
  async table(@Entered() entered: WorkflowRequest): Promise<Reply> {
    const { scope, query } = entered;
    const name = shownMetrics.find((each) => each === query.get('_metric'));
    if (!name) throw notFound();
    query.delete('_metric');
    return figureTable(metrics[name], await this.read(entered, name), {
      'Content-Disposition': create(`${scope.workflow.slug}-${name}.csv`),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    });
  }

  private read({ reader, scope, query }: WorkflowRequest, name: ShownMetric): Promise<Figure> {
    const asked = withoutNames(query, new Set([WEEKS, VIEW, '_fields', '_sort']));
    // A form also sends blank controls.
    if (asked.get('group') === '') asked.delete('group');
    // A figure about the days ahead has no weeks behind it to choose.
    if (metrics[name].period[0] < 0) {
      const count = Number(weeksIn(query));
      const today = todayIn(scope.workflow.timezone, reader.now);
      asked.set('from', bucketOf('week', dayBeside(today, 7 - 7 * count)));
      if (name === 'flow' && count > 4) asked.set('interval', 'week');
    }
    return this.figures.read(scope, metrics[name], asked);
  }
}
