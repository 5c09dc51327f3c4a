import { type VNode } from 'preact';
import { type Stretch } from '../../http/paged-list.js';
import { type ShownRule } from '../../rules/rule.dto.js';
import { type ShownRun } from '../../executions/runs/run.dto.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Badge } from '../parts/badge.js';
import { Empty } from '../parts/empty.js';
import { ButtonForm } from '../parts/form.js';
import { type Notice } from '../parts/notices.js';
import { Instant } from '../parts/time.js';
import { AdminListPage, DetailPage, Facts } from './admin-page.js';
import { type Administrator } from './admin-pages.js';
import { type AskedRuns, type PlacedThing } from './administered.js';
import { RunsPart } from './runs-part.js';
import { type Trial, trialNotice, TrialPart } from './trial-part.js';

export const RULES_PATH = '/admin/rules';

/** The page of a rule. */
export const rulePath = ({ slug }: Pick<Workflow, 'slug'>, id: string): string =>
  `${RULES_PATH}/${encodeURIComponent(slug)}/${encodeURIComponent(id)}`;

/** The rules of all workflows that somebody administers. */
export function RulesPage({ to, rules }: RulesProps): VNode {
  const words = to.words.time.admin;
  return (
    <AdminListPage
      to={to}
      title={words.rules}
      lead={words.rulesLead}
      count={rules.length}
      things={rules}
      row={(rule) => <RuleRow to={to} rule={rule} />}
      empty={
        <Empty icon="history" title={words.noRules}>
          {words.noRulesMore}
        </Empty>
      }
    />
  );
}

interface RulesProps {
  readonly to: Administrator;
  readonly rules: readonly PlacedThing<ShownRule>[];
}

function RuleRow({ to, rule: { workflow, thing } }: RuleRowProps): VNode {
  const words = to.words.time.admin;
  const { id, on, run, last_run_at: last } = thing;
  return (
    <a class="row webhook-row" href={rulePath(workflow, id)}>
      <StateBadge to={to} state={thing.state} />
      <span class="execution-what">
        <span class="row-title">{id}</span>
        <span class="muted webhook-url">{`${workflow.name} · ${on} → ${actionName(workflow, run)}`}</span>
      </span>
      <span class="row-due">
        {words.lastRun}:{' '}
        {last === null ? words.never : <Instant at={new Date(last)} to={to} timeZone={to.timeZone} isShort />}
      </span>
    </a>
  );
}

interface RuleRowProps {
  readonly to: Administrator;
  readonly rule: PlacedThing<ShownRule>;
}

/** What an action is called, as far as the workflow has it: that of a linked task is of another. */
export const actionName = ({ actions }: Workflow, id: string): string =>
  actions.find((action) => action.id === id)?.name ?? id;

/** Whether a rule or schedule is paused. */
export function StateBadge({ to, state }: StateProps): VNode {
  return <Badge tone={state === 'active' ? 'good' : 'waiting'}>{to.words.time.admin.states[state]}</Badge>;
}

interface StateProps {
  readonly to: Administrator;
  readonly state: 'active' | 'paused';
}

/** A rule, a form that tries it, its runs, and the button that pauses it or lets it run again. */
export function RulePage({ to, workflow, rule, trial, runs, asked, notice }: RuleProps): VNode {
  const words = to.words.time.admin;
  const { id, on, run, state } = rule;
  const path = rulePath(workflow, id);
  return (
    <DetailPage
      to={to}
      title={id}
      above={{ href: RULES_PATH, name: words.rules }}
      badge={<StateBadge to={to} state={state} />}
      lead={state === 'paused' ? words.rulePausedWhy : undefined}
      notice={trialNotice(to, trial) ?? notice}
    >
      <Facts
        rows={[
          [words.workflow, workflow.name],
          [words.on, on],
          [words.starts, actionName(workflow, run)],
        ]}
      />
      <div class="actions">
        <PauseButton to={to} path={path} state={state} />
      </div>
      <TrialPart to={to} path={path} trial={trial} />
      <RunsPart to={to} path={path} runs={runs} asked={asked} />
    </DetailPage>
  );
}

interface RuleProps {
  readonly to: Administrator;
  readonly workflow: Workflow;
  readonly rule: ShownRule;
  readonly trial: Trial;
  readonly runs: Stretch<ShownRun>;
  readonly asked: AskedRuns;
  readonly notice: Notice | undefined;
}

/** Pauses what is active, and lets what is paused run again. */
export function PauseButton({ to, path, state }: StateProps & { readonly path: string }): VNode {
  const words = to.words.time.admin;
  return state === 'active' ? (
    <ButtonForm action={`${path}/pause`}>{words.pause}</ButtonForm>
  ) : (
    <ButtonForm action={`${path}/resume`} look="primary">
      {words.resume}
    </ButtonForm>
  );
}
