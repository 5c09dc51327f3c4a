import { type ComponentChildren } from 'preact';
import { KindsService } from '../../automation/shown/kinds.service.js';
import { runResults } from '../../common/column-values.js';
import { fewAtATime } from '../../common/each.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { renderElement } from '../../workflows/definition/source/write-yaml.js';
import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Identified, type ShownKind } from '../../workflows/model/shown-kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Entrances } from '../console-controller.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { adminListPart } from './admin-list.js';
import { administeredBy, type AdminLine, type AdminList, type AdminOperation, adminPath, type AdminPage, type AdminRequest, type FactRow } from './admin-page.js'; // prettier-ignore
import { executionPath } from './executions-page.js';
import { CodeSection, Section } from './section.js';

/** What a page needs of a kind whose elements are shown and operated. */
type KindOfPage<Spec extends Identified, One extends Identified> = Pick<
  ShownKind<Spec, One>,
  'name' | 'list' | 'schema' | 'in' | 'show' | 'runs' | 'operations'
>;

interface Element extends Identified {
  /** `active` or `paused`; kinds may have further states. */
  readonly state?: string;
}

/** What the page of a kind shows of an element. */
interface KindLook<One> {
  readonly lead?: string;
  readonly icon?: AdminPage['icon'];
  /** The text below the name in a row. */
  under?(one: One, workflow: Workflow): string;
  due?(one: One): ComponentChildren;
  facts(one: One): readonly FactRow[];
}

/** The elements of a kind in the workflows that a person administers; each has a page with its runs. */
export function kindPage<Spec extends Identified, One extends Element>(
  kind: KindOfPage<Spec, One>,
  look: KindLook<One>,
): AdminPage {
  const { name, list, runs, schema } = kind;
  const { title, description: lead } = wordsOf(schema);
  const done = Object.entries(kind.operations).map(
    ([verb, { description, later = description }]) => [verb, later.replaceAll('`', '')] as const,
  );
  const elementsIn = (scope: Scope, { get }: AdminRequest) => get(KindsService).list(scope, kind);
  return {
    path: list,
    one: name,
    title,
    icon: 'time',
    lead,
    empty: [`No ${list}`, `Add them in the definition, under ${list}: of a workflow.`],
    done: Object.fromEntries(done),
    ...look,
    async read(asked) {
      const workflows = administeredBy(asked.reader).filter((workflow) => kind.in(workflow).length > 0);
      const found = await fewAtATime(workflows, async (workflow) => {
        const elements = await elementsIn(await enter(workflow.slug, asked), asked);
        return elements.map((one) => elementLine(list, workflow, one, look));
      });
      const lines = found.flat();
      return { lines, count: lines.length };
    },
    keyLength: 2,
    async open([slug = '', id], asked) {
      if (!administeredBy(asked.reader).some((workflow) => workflow.slug === slug)) return undefined;
      const scope = await enter(slug, asked);
      const one = (await elementsIn(scope, asked)).find((each) => each.id === id);
      if (!one) return undefined;
      const { workflow } = scope;
      const spec = kind.in(workflow).find((each) => each.id === id) ?? one;
      return {
        page: {
          title: one.id,
          badge: badgeOf(one),
          lead:
            one.state === 'paused' ? kind.operations['pause']?.description.replaceAll('`', '') : undefined,
          facts: [['Workflow', workflow.name], ...look.facts(one)],
          parts: async () => (
            <>
              <CodeSection id="definition" title="In the definition" text={renderElement(kind, spec)} />
              {runs !== undefined && (
                <Section id="runs" title="Runs">
                  {(await adminListPart(runsOf(scope, name, one.id), asked))[0]}
                </Section>
              )}
            </>
          ),
        },
        operations: operationsOn(kind, one, scope, asked),
      };
    },
  };
}

const enter = (slug: string, { reader, request, get }: AdminRequest): Promise<Scope> =>
  get(Entrances).enter(reader, request, slug);

const elementLine = <One extends Element>(
  list: string,
  workflow: Workflow,
  one: One,
  look: KindLook<One>,
): AdminLine => ({
  href: adminPath(list, workflow.slug, one.id),
  state: badgeOf(one),
  title: one.id,
  under: (
    <span class="muted">{[workflow.name, look.under?.(one, workflow)].filter(Boolean).join(' · ')}</span>
  ),
  due: look.due?.(one),
});

const badgeOf = ({ state }: Element) => state !== undefined && <StateBadge state={state} />;

/** The operations of the kind, as far as the state of the element allows them. */
function operationsOn<Spec extends Identified, One extends Element>(
  kind: KindOfPage<Spec, One>,
  { id, state }: Element,
  scope: Scope,
  { get }: AdminRequest,
) {
  const operations = Object.entries(kind.operations).map(([verb, { description, button, asks }]) => {
    const operation: AdminOperation = {
      title: button ?? verb.charAt(0).toUpperCase() + verb.slice(1),
      asks: asks && { title: `${button ?? verb}?`, text: description },
      async run({ key }) {
        await get(KindsService).operate(scope, kind, { verb, id, key });
      },
    };
    const before = statesBefore[verb];
    return [verb, (before === undefined || before === state) && operation] as const;
  });
  return Object.fromEntries(operations);
}

const statesBefore: Readonly<Record<string, Element['state']>> = { pause: 'active', resume: 'paused' };

const runsOf = (scope: Scope, kind: string, id: string): AdminList => ({
  title: 'Runs',
  icon: 'history',
  empty: ['No runs yet'],
  filters: () => [
    { name: 'result', label: 'Result', options: runResults.map((one) => [one, stateName(one)]) },
  ],
  async read({ get }, { result, after }) {
    const query = { _limit: '50', _after: after, result: runResults.find((one) => one === result) };
    const found = await get(RunsService).listOfStarter(scope, kind, id, query, nowhere);
    const { shown, next } = await readStretch<ShownRun>(found);
    return { lines: shown.map((run) => runLine(kind, run)), next };
  },
});

const runLine = (kind: string, { result, because, task, execution, at, chain }: ShownRun): AdminLine => ({
  state: <StateBadge state={result} />,
  title: task ? <a href={task.url}>{task.unique_id ?? 'a task'}</a> : kind,
  under: (
    <>
      {because !== null && <Sayings all={[because]} />}
      {chain.length > 1 && result !== 'loop' && (
        <span class="muted">{chain.map(({ rule }) => rule).join(' → ')}</span>
      )}
    </>
  ),
  asides: [execution !== null && <a href={executionPath(execution)}>Execution</a>],
  due: <Instant at={new Date(at)} isShort />,
});
