import { english } from '../../common/message.js';
import { type ShownRule } from '../../automation/rules/rule.dto.js';
import { rules } from '../../automation/rules/rules.kind.js';
import { shownRules } from '../../automation/rules/shown-rules.js';
import { triggerTypes } from '../../automation/rules/trigger-types.js';
import { wordsOf } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { Instant } from '../parts/time.js';
import { ofKind, starterPage } from './starter-page.js';

/** The rules of the workflows that somebody administers. */
export const rulesPage = starterPage<ShownRule>({
  kind: rules,
  ...ofKind(shownRules),
  title: 'Rules',
  icon: 'history',
  lead: 'Rules start actions when an event happens. The definition contains them.',
  empty: ['No rules', 'Add them in the definition, under rules: of a workflow.'],
  under: (rule, workflow) => `${triggerOf(rule)} → ${startedBy(rule, workflow)}`,
  due: (rule) => <>Last run: {lastRun(rule)}</>,
  facts: (rule) => [
    ['Waits for', triggerOf(rule)],
    ['Last run', lastRun(rule)],
  ],
});

/** What a rule waits for, such as `A field changes`. */
const triggerOf = ({ on }: ShownRule): string => english(wordsOf(triggerTypes.get(on)?.settings ?? {}).title);

/** The action that it starts, as far as the workflow has it: that of a linked task is of another. */
function startedBy({ run }: ShownRule, { actions }: Workflow): string {
  if (run === null) return 'something that you may not see';
  return actions.find(({ id }) => id === run)?.name ?? run;
}

const lastRun = ({ last_run_at: last }: ShownRule) =>
  last === null ? 'never' : <Instant at={new Date(last)} isShort />;
