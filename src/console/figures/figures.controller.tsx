import { Get } from '@nestjs/common';
import { create } from 'content-disposition';
import { figureTable } from '../../automation/figures/figure-csv.js';
import { groupableIn } from '../../automation/figures/figure-query.js';
import { metrics } from '../../automation/figures/metrics.js';
import { faultsOf } from '../../common/field-errors.js';
import { notFound } from '../../common/errors.js';
import { type Message } from '../../common/message.js';
import { type Reply } from '../../common/reply.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { figuresPath, listPath, ofFigures, withoutNames } from '../board/addresses.js';
import { FilterBar } from '../board/filter-bar.js';
import { WorkflowHead } from '../board/workflow-head.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { Entered, readerScope, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { ConsolePage } from '../layout.js';
import { pageReply } from '../page.js';
import { FiguresForm } from './figures-form.js';
import { AllHead, FiguresPage } from './figures-page.js';
import { PageFigures } from './figures.js';
import { shownMetrics } from './questions.js';

@WorkflowPages('workflows/:workflow/figures')
export class FiguresPageController {
  constructor(private readonly figures: PageFigures) {}

  @Get()
  async page(@Entered() { reader, scope, query }: WorkflowRequest): Promise<Reply> {
    const { workflow } = scope;
    const found = await this.figures.ofWorkflow(reader, scope, query).catch(refused);
    const path = figuresPath(workflow, new URLSearchParams());
    const tasksPath = ([name, value]: readonly [string, string]): string => {
      const filters = withoutNames(query, ofFigures);
      filters.set(name, value);
      return listPath(workflow, filters);
    };
    const form = (
      <>
        <FilterBar workflow={workflow} filters={query} at="figures" />
        <FiguresForm
          action={path}
          query={query}
          groups={groupableIn(workflow.schema).map(({ name }) => name)}
          hasCalendar={workflow.calendars.size > 0}
        />
      </>
    );
    const page = (
      <FiguresPage
        title={`Figures: ${workflow.name}`}
        head={<WorkflowHead scope={scope} filters={query} at="figures" total={undefined} />}
        form={form}
        found={found}
        look={{ reader, measure: measureIn(query), isGrouped: !!query.get('group'), ends: endsOf(workflow) }}
        csvPath={(name) => `${path}/csv?${new URLSearchParams([['_metric', name], ...query]).toString()}`}
        tasksPath={tasksPath}
      />
    );
    return pageReply(page, { status: 'refusals' in found ? 422 : 200 });
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
  async table(@Entered() { reader, scope, query }: WorkflowRequest): Promise<Reply> {
    const name = shownMetrics.find((each) => each === query.get('_metric'));
    if (!name) throw notFound();
    query.delete('_metric');
    const figure = await this.figures.one(reader, scope, name, query);
    return figureTable(metrics[name], figure, {
      'Content-Disposition': create(`${scope.workflow.slug}-${name}.csv`),
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    });
  }
}

/** The same figures for all workflows that the reader knows. */
@Pages('figures')
export class AllFiguresController {
  constructor(private readonly figures: PageFigures) {}

  @Get()
  async page(@AskedHere() { reader, request, query }: AskedOfPages): Promise<Reply> {
    const workflows = reader.workflows.slice(0, MAX_WORKFLOWS);
    const scopes = workflows.map((workflow) => readerScope(reader, request, workflow));
    const found = await this.figures.across(reader, scopes, query).catch(refused);
    const hasCalendar = reader.workspace.calendars.size > 0;
    const page = (
      <FiguresPage
        title="Figures"
        head={<AllHead workflows={workflows} />}
        form={<FiguresForm action="/figures" query={query} groups={[]} hasCalendar={hasCalendar} />}
        found={found}
        look={{ reader, measure: measureIn(query), isGrouped: true, ends: new Set() }}
      />
    );
    return pageReply(page, { status: 'refusals' in found ? 422 : 200 });
  }
}

const refused = (error: unknown): { readonly refusals: readonly Message[] } => ({
  refusals: faultsOf(error),
});

const measureIn = (query: URLSearchParams): 'elapsed' | 'working' =>
  query.get('_time') === 'working' ? 'working' : 'elapsed';

const endsOf = ({ schema }: Workflow): ReadonlySet<string> =>
  new Set(schema.stages.all.filter(({ isEnd }) => isEnd).map(({ name }) => name));

/** The most workflows on a page: more would take long. */
const MAX_WORKFLOWS = 8;
