import { type ComponentChildren } from 'preact';
import { KindsService } from '../../automation/shown/kinds.service.js';
import { runResults } from '../../common/column-values.js';
import { fewAtATime } from '../../common/each.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { capitalized } from '../../common/wording.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { renderElement } from '../../workflows/definition/source/write-yaml.js';
import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Identified, type ShownKind } from '../../workflows/model/shown-kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { readerScope } from '../console-controller.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { administeredBy, type Administrator, type AdminLine, type AdminList, type AdminOperation, adminPath, type AdminPage, type AdminRequest } from './admin-page.js'; // prettier-ignore
import { executionPath } from './executions-page.js';
import { CodeSection } from './facts.js';

interface Element extends Identified {
  /** Such as `active` or `paused`; undefined if the elements of this kind have no states. */
  readonly state?: string;
  readonly timezone?: string;
}

/**
 * Lists the elements of a kind, such as rules, from all workflows that the reader administers. Each element
 * has its own page.
 */
export function kindPage(kind: ShownKind): AdminPage {
  const { name, list, runs, schema } = kind;
  const { title, description: lead } = wordsOf(schema);
  const elementsIn = (scope: Scope, { get }: AdminRequest): Promise<readonly Element[]> =>
    get(KindsService).list(scope, kind);
  return {
    path: list,
    one: name,
    title,
    icon: 'time',
    lead,
    empty: [`No ${list}`, `Add them to a workflow in the definition, under ${list}.`],
    async read(asked) {
      const workflows = administeredBy(asked.reader).filter((workflow) => kind.in(workflow).length > 0);
      const found = await fewAtATime(workflows, async (workflow) => {
        const elements = await elementsIn(readerScope(asked.reader, asked.request, workflow), asked);
        return elements.map((one) => elementLine(kind, workflow, one, asked.reader));
      });
      const lines = found.flat();
      return { lines, count: lines.length };
    },
    keyLength: 2,
    async open([slug = '', id], asked) {
      const workflow = administeredBy(asked.reader).find((each) => each.slug === slug);
      if (!workflow) return undefined;
      const scope = readerScope(asked.reader, asked.request, workflow);
      const one = (await elementsIn(scope, asked)).find((each) => each.id === id);
      if (!one) return undefined;
      const spec = kind.in(workflow).find((each) => each.id === id) ?? one;
      const facts = factsOf(kind, workflow, one, asked.reader).map(
        ([title, value]) => [title, shownValue(value, one)] as const,
      );
      return {
        page: {
          title: one.id,
          badge: badgeOf(one),
          lead:
            one.state === 'paused' ? kind.operations['pause']?.description.replaceAll('`', '') : undefined,
          facts: [['Workflow', workflow.name], ...facts],
          content: <CodeSection title="In the definition" text={renderElement(kind, spec)} />,
          list: runs === undefined ? undefined : runsOf(scope, name, one.id),
        },
        operations: operationsOn(kind, one, scope, asked),
      };
    },
  };
}

function elementLine(kind: ShownKind, workflow: Workflow, one: Element, reader: Administrator): AdminLine {
  const facts = new Map(factsOf(kind, workflow, one, reader));
  const columns = (kind.columns ?? []).map((name) => [name, shownValue([facts.get(name)].flat()[0], one)]);
  const [last] = columns.splice(-1);
  return {
    href: adminPath(kind.list, workflow.slug, one.id),
    state: badgeOf(one),
    title: one.id,
    under: (
      <span class="muted">
        {workflow.name}
        {columns.map(([, value]) => [' · ', value])}
      </span>
    ),
    due: last?.[1] && [last[0], ': ', last[1]],
  };
}

const badgeOf = ({ state }: Element) => (state === undefined ? undefined : <StateBadge state={state} />);

/** The facts that the kind defines, or else everything that the API shows except `id` and `state`. */
function factsOf(
  { facts }: ShownKind,
  workflow: Workflow,
  one: Element,
  { workspace }: Administrator,
): [title: string, value: unknown][] {
  if (facts) return Object.entries(facts(one, workflow, workspace));
  const shown = Object.entries(one).filter(([name]) => !['id', 'state'].includes(name));
  return shown.map(([name, value]) => [titleOf(name), value]);
}

const titleOf = (name: string): string => capitalized(name).replaceAll('_', ' ');

function shownValue(value: unknown, one: Element): ComponentChildren {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (Array.isArray(value))
    return (
      <ul class="stack gap-1">
        {value.map((each) => (
          <li>{shownValue(each, one)}</li>
        ))}
      </ul>
    );
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT.*Z$/.test(value))
    return <Instant at={new Date(value)} timeZone={one.timezone} />;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

/** The operations of the kind, by name. An operation that the element's state does not allow is false. */
function operationsOn(kind: ShownKind, { id, state }: Element, scope: Scope, { get }: AdminRequest) {
  const operations = Object.entries(kind.operations).map(([verb, { description, button, asks }]) => {
    const operation: AdminOperation = {
      title: button ?? capitalized(verb),
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
