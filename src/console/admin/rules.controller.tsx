import { rules } from '../../rules/rules.kind.js';
import { en } from './words.js';
import { english } from '../../lib/message.js';
import { TellingError } from '../../lib/errors.js';
import { type ShownRule } from '../../rules/rule.dto.js';
import { KindsService } from '../../definitions/shown/kinds.service.js';
import { shownRules } from '../../rules/shown-rules.js';
import { RulesService } from '../../rules/rules.service.js';
import { triggerTypes } from '../../rules/trigger-types.js';
import { wordsOf } from '../../workspace/schema-parts.js';
import { type Scope } from '../../workspace/scope.js';
import { type Workflow } from '../../workspace/workspace.js';
import { Instant } from '../parts/time.js';
import { type Administrator, AdminPages } from './admin-pages.js';
import { Administered, type PlacedThing } from './administered.js';
import { type AskedStarter, type StarterDetails, StarterPages } from './starters.js';
import { type Trial, trialNotice, TrialPart } from './trial-part.js';

/** The rules of the workflows that somebody administers, each with a form that tries it. */
@AdminPages('admin/rules')
export class AdminRulesController extends StarterPages<ShownRule> {
  constructor(
    administered: Administered,
    kinds: KindsService,
    private readonly rules: RulesService,
  ) {
    super('rule', administered, kinds, shownRules);
  }

  protected lineOf(reader: Administrator, { workflow, thing }: PlacedThing<ShownRule>) {
    const { time, admin } = en;
    const { last_run_at: last } = thing;
    return {
      under: `${triggerOf(reader, workflow, thing)} → ${startedBy(reader, workflow, thing)}`,
      due: (
        <>
          {time.admin.lastRun}: {last === null ? admin.key.never : <Instant at={new Date(last)} isShort />}
        </>
      ),
    };
  }

  protected async detailsOf(asked: AskedStarter<ShownRule>): Promise<StarterDetails> {
    const { reader, scope, starter, path, query } = asked;
    const words = en.time.admin;
    const trial = await this.tried(scope, starter.id, query.get('task'));
    return {
      facts: [
        [words.on, triggerOf(reader, scope.workflow, starter)],
        [words.starts, startedBy(reader, scope.workflow, starter)],
      ],
      section: <TrialPart path={path} trial={trial} />,
      notice: trialNotice(reader, trial),
    };
  }

  /** What the rule would do with the task that the address names. */
  private async tried(scope: Scope, id: string, given: string | null): Promise<Trial> {
    const task = given?.trim() ?? '';
    if (task === '') return {};
    try {
      return { task, answer: await this.rules.tryOn(scope, id, task) };
    } catch (error) {
      if (error instanceof TellingError) return { task, refused: error.said };
      throw error;
    }
  }
}

/** What a rule waits for in words: `A field changes: Risk from Low to High`. */
function triggerOf({}: Administrator, workflow: Workflow, { id, on }: ShownRule): string {
  const { title } = wordsOf(triggerTypes.get(on)?.settings ?? {});
  const settings: Readonly<Record<string, unknown>> = {
    ...rules.in(workflow).find((rule) => rule.id === id),
  };
  const named = (...keys: string[]): string =>
    keys
      .filter((key) => settings[key] !== undefined)
      .flatMap((key) => settings[key])
      .map((value) =>
        typeof value === 'string' ? value : value === null ? en.task.blank : JSON.stringify(value),
      )
      .join(', ');
  const [from, to] = [named('from'), named('to')];
  const { admin } = en.time;
  const about = [
    named('field', 'stage', 'stages', 'relationship'),
    from && admin.from(from),
    to && admin.becomes(to),
  ].filter(Boolean);
  return [english(title), about.join(' ')].filter(Boolean).join(': ');
}

/** What an action is called, as far as the workflow has it: that of a linked task is of another. */
const actionName = ({ actions }: Workflow, id: string): string =>
  actions.find((action) => action.id === id)?.name ?? id;

/** The action that a rule starts, as far as the reader is told. */
const startedBy = ({}: Administrator, workflow: Workflow, { run }: ShownRule): string =>
  run === null ? en.time.unseenStarter : actionName(workflow, run);
