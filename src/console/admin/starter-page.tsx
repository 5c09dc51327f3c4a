import { type ComponentChildren } from 'preact';
import { runResults } from '../../common/column-values.js';
import { KindsService } from '../../automation/shown/kinds.service.js';
import { renderElement } from '../../workflows/definition/source/write-yaml.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { nowhere, readStretch } from '../../common/http/paged-list.js';
import { fewAtATime } from '../../common/each.js';
import { type ListKind } from '../../workflows/model/kind.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Identified, type ShownKind } from '../../workflows/model/shown-kind.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Entrances } from '../console-controller.js';
import { StateBadge, stateName } from '../parts/badge.js';
import { Sayings } from '../parts/sayings.js';
import { Instant } from '../parts/time.js';
import { ListPart, readAdminList } from './admin-list.js';
import { type AdminList, adminPath, type AdminPage, type AdminRequest, type FactRow, type AdminOperation } from './admin-page.js'; // prettier-ignore
import { Code, Section } from './admin-thing.js';
import { administeredBy, executionPath } from './executions-page.js';

interface Starter {
  readonly id: string;
  /** `active` or `paused`; kinds may have further states. */
  readonly state?: string;
}

interface PlacedStarter<Of> {
  readonly scope: Scope;
  readonly starter: Of;
}

interface StarterPages<Of extends Starter> extends Pick<
  AdminPage<unknown>,
  'title' | 'icon' | 'lead' | 'empty'
> {
  readonly kind: Pick<ListKind<Identified, 'workflow'>, 'name' | 'list' | 'schema' | 'in'>;
  readonly operations?: Readonly<Record<string, AdminOperation<PlacedStarter<Of>>>>;
  /** Default: true. */
  readonly hasRuns?: boolean;
  all(asked: AdminRequest, scope: Scope): Promise<readonly Of[]>;
  /** The text below the name in a row, and the one at the row's end. */
  under(starter: Of, workflow: Workflow): string;
  due?(starter: Of): ComponentChildren;
  facts(starter: Of): readonly FactRow[];
}

/** The starters of one kind in the workflows that a person administers; each has a page with its runs. */
export function starterPage<Of extends Starter>(pages: StarterPages<Of>): AdminPage<PlacedStarter<Of>> {
  const { kind, operations = {}, hasRuns = true } = pages;
  const { name, list: path } = kind;
  return {
    ...pages,
    path,
    one: name,
    keyLength: 2,
    async rows(asked) {
      const workflows = administeredBy(asked.reader).filter((workflow) => kind.in(workflow).length > 0);
      const found = await fewAtATime(workflows, async ({ slug }) => {
        const scope = await asked.get(Entrances).enter(asked.reader, asked.request, slug);
        return (await pages.all(asked, scope)).map((starter) => ({ scope, starter }));
      });
      const shown = found.flat();
      return { shown, count: shown.length };
    },
    line: ({ scope: { workflow }, starter }) => ({
      href: adminPath(path, workflow.slug, starter.id),
      state: starter.state !== undefined && <StateBadge state={starter.state} />,
      title: starter.id,
      under: (
        <span class="muted">
          {[workflow.name, pages.under(starter, workflow)].filter(Boolean).join(' · ')}
        </span>
      ),
      due: pages.due?.(starter),
    }),
    async find([slug = '', id], asked) {
      if (!administeredBy(asked.reader).some((workflow) => workflow.slug === slug)) return undefined;
      const scope = await asked.get(Entrances).enter(asked.reader, asked.request, slug);
      const starter = (await pages.all(asked, scope)).find((each) => each.id === id);
      return starter && { scope, starter };
    },
    async show({ scope, starter }, asked) {
      const { workflow } = scope;
      const spec = kind.in(workflow).find(({ id }) => id === starter.id) ?? starter;
      return {
        title: starter.id,
        badge: starter.state !== undefined && <StateBadge state={starter.state} />,
        lead: starter.state === 'paused' ? operations['pause']?.done?.(1) : undefined,
        facts: [['Workflow', workflow.name], ...pages.facts(starter)],
        parts: (
          <>
            <Section id="definition" title="In the definition" isLandmark={false}>
              <Code label="In the definition" text={renderElement(kind, spec)} />
            </Section>
            {hasRuns && (await runsPart(runsOf(scope, name, starter.id), asked))}
          </>
        ),
      };
    },
  };
}

export const ofKind = <Spec extends Identified, Of extends Starter>(kind: ShownKind<Spec, Of>) => ({
  all: ({ get }: AdminRequest, scope: Scope) => get(KindsService).list(scope, kind),
  operations: Object.fromEntries(
    Object.entries(kind.operations).map(([verb, { description, later, button, asks }]) => [
      verb,
      {
        ...operationOf(kind, verb, later ?? description, button),
        ...(asks && { asks: () => ({ title: `${button ?? verb}?`, text: description }) }),
      },
    ]),
  ),
});

/** An operation of the kind as a button, if the starter is in a state that allows it. */
function operationOf<Spec extends Identified, Of extends Starter>(
  kind: ShownKind<Spec, Of>,
  verb: string,
  description: string,
  button = verb.charAt(0).toUpperCase() + verb.slice(1),
): AdminOperation<PlacedStarter<Of>> {
  return {
    title: button,
    isAllowed: ({ starter }) => !(verb in statesBefore) || starter.state === statesBefore[verb],
    async run({ scope, starter }, { get, key }) {
      await get(KindsService).operate(scope, kind, { verb, id: starter.id, key });
    },
    done: () => description.replaceAll('`', ''),
  };
}

const statesBefore: Readonly<Record<string, Starter['state']>> = { pause: 'active', resume: 'paused' };

async function runsPart(runs: AdminList<ShownRun>, asked: AdminRequest) {
  return (
    <Section id="runs" title={runs.title}>
      <ListPart list={runs} read={await readAdminList(runs, asked)} asked={asked} />
    </Section>
  );
}

const runsOf = (scope: Scope, kind: string, id: string): AdminList<ShownRun> => ({
  title: 'Runs',
  icon: 'history',
  empty: ['No runs yet'],
  filters: () => [
    { name: 'result', label: 'Result', options: runResults.map((one) => [one, stateName(one)]) },
  ],
  async rows({ get }, { result, after }) {
    const query = { _limit: '50', ...(result && { result }), ...(after && { _after: after }) };
    return readStretch<ShownRun>(await get(RunsService).listOfStarter(scope, kind, id, query, nowhere));
  },
  line: ({ result, because, task, execution, at, chain }) => ({
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
  }),
});
