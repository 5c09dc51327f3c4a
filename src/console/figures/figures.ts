import { Injectable } from '@nestjs/common';
import { type Figure, type Series } from '../../automation/figures/figure.js';
import { bucketOf } from '../../automation/figures/figure-query.js';
import { FiguresService } from '../../automation/figures/figures.service.js';
import { metrics } from '../../automation/figures/metrics.js';
import { todayIn } from '../../common/calendar.js';
import { fewAtATime } from '../../common/each.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { VIEW, withoutNames } from '../board/addresses.js';
import { dayBeside } from '../board/filter-values.js';
import { type SignedIn } from '../reader.js';
import { shownMetrics, type ShownMetric } from './questions.js';

export type ShownFigures = readonly (readonly [name: ShownMetric, figure: Figure])[];

export const WEEKS = '_weeks';
export const weeks = ['4', '13', '26', '52'] as const;
export const weeksIn = (query: URLSearchParams): (typeof weeks)[number] =>
  weeks.find((each) => each === query.get(WEEKS)) ?? '13';

@Injectable()
export class PageFigures {
  constructor(private readonly figures: FiguresService) {}

  ofWorkflow(reader: SignedIn, scope: Scope, query: URLSearchParams): Promise<ShownFigures> {
    return fewAtATime(
      shownMetrics,
      async (name) => [name, await this.one(reader, scope, name, query)] as const,
    );
  }

  one(reader: SignedIn, scope: Scope, name: ShownMetric, query: URLSearchParams): Promise<Figure> {
    return this.figures.read(scope, metrics[name], askedBy(reader, scope, name, query));
  }

  /** The figures of several workflows, as if their tasks were grouped by workflow. */
  async across(reader: SignedIn, scopes: readonly Scope[], query: URLSearchParams): Promise<ShownFigures> {
    return fewAtATime(shownMetrics, async (name) => {
      const found = await fewAtATime(scopes, (scope) => this.one(reader, scope, name, query));
      const series = scopes.flatMap(({ workflow }, at) => ofOne(name, workflow, found[at]?.series ?? []));
      const { definition = '', as_of = reader.now.toISOString() } = found[0] ?? {};
      const said =
        name === 'flow'
          ? definition.replace('Tasks in each stage', 'Open tasks of each workflow')
          : definition;
      return [name, { definition: said, as_of, series }] as const;
    });
  }
}

function askedBy(
  { now }: SignedIn,
  { workflow }: Scope,
  name: ShownMetric,
  query: URLSearchParams,
): URLSearchParams {
  const asked = withoutNames(query, new Set([WEEKS, VIEW, '_fields', '_sort']));
  // A form also sends blank controls.
  if (asked.get('group') === '') asked.delete('group');
  // A figure about the days ahead has no weeks behind it to choose.
  if (metrics[name].period[0] >= 0) return asked;
  const count = Number(weeksIn(query));
  const monday = bucketOf('week', dayBeside(todayIn(workflow.timezone, now), 7 - 7 * count));
  asked.set('from', monday);
  if (name === 'flow' && count > 4) asked.set('interval', 'week');
  return asked;
}

/** The series of a workflow, under its name. */
function ofOne(name: ShownMetric, { name: workflow, schema }: Workflow, series: readonly Series[]): Series[] {
  const [first] = series;
  if (name === 'throughput')
    return series.map(({ name: kind, points }) => ({ name: `${workflow}: ${kind}`, points }));
  if (name === 'age')
    return series.map(({ points }) => ({
      name: workflow,
      points: points.map(([stage, ...rest]) => [`${workflow}: ${stage}`, ...rest]),
    }));
  if (name !== 'flow') return first ? [{ ...first, name: workflow }] : [];
  const ends = new Set(schema.stages.all.filter(({ isEnd }) => isEnd).map((stage) => stage.name));
  const open = series.filter((one) => !ends.has(one.name));
  const points = (first?.points ?? []).map(([day], at) => [day, open.reduce((sum, one) => sum + (one.points[at]?.[1] ?? 0), 0)] as const); // prettier-ignore
  return [{ name: workflow, points }];
}
