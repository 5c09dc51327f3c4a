import { kindOfField, type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { type KnownValue } from '../../workflows/model/check/contradiction.js';
import { nameInStep, warnOfNoPerformer, warnOfUnoffered } from '../../workflows/model/check/starts.js';
import { type RuleDefinition } from './rule-definition.js';
import { type ComparedValue, each } from './trigger.js';

/** Warns of a rule whose action is not offered where it starts, or lacks a performer. */
export function warnOfStart(rule: RuleDefinition, { workflow }: WorkflowScope, report: Report): void {
  // A rule with `of` runs an action of another workflow.
  const action = rule.of === undefined ? workflow.actions.find(({ id }) => id === rule.run) : undefined;
  if (!action) return;
  const named = stagesNamed(rule);
  const open = workflow.stages.map(({ name }) => name).filter((name) => !named.includes(name));
  if (rule.on === 'stage_entered') warnOfUnoffered(rule, action, named, 'some', report);
  if (rule.on === 'stage_left') warnOfUnoffered(rule, action, open, 'all', report);
  if (rule.as === undefined)
    warnOfNoPerformer(rule, action, report, `write as: <e-mail> here, or ${nameInStep}`);
}

/** The stages that a trigger names in `stage` or `stages`. */
function stagesNamed(rule: object): string[] {
  const settings = new Map<string, unknown>(Object.entries(rule));
  return [settings.get('stage'), settings.get('stages')].flat().filter((name) => typeof name === 'string');
}

/** A setting of a trigger, whose type its file declares. */
const settingOf = (rule: RuleDefinition, key: string): unknown =>
  new Map<string, unknown>(Object.entries(rule)).get(key);

/** Warns of a rule that waits for fields which nothing changes. */
export function warnOfFixedFields(rule: RuleDefinition, scope: WorkflowScope, report: Report): void {
  if (rule.on !== 'field_changed') return;
  const fixed = each(settingOf(rule, 'field'))
    .map(String)
    .filter((name) => {
      const { editable, change } = scope.fields.get(name) ?? {};
      return (
        editable === false ||
        (change === 'by_actions' && !scope.workspace.uses.isSet(scope.workflow.id, name))
      );
    });
  const message = `waits for ${fixed.join(', ')}, which nothing changes in an existing task`;
  if (fixed.length > 0) report(rule, 'field', message, 'warning');
}

/** The value that the trigger of a rule implies when its `when` is evaluated. */
export function impliedBy(rule: RuleDefinition, scope: WorkflowScope): KnownValue | undefined {
  const named = stagesNamed(rule);
  if (rule.on === 'stage_entered') return { field: 'Stage', values: named };
  const others = [...scope.stages].filter((name) => !named.includes(name));
  if (rule.on === 'stage_left') return { field: 'Stage', values: others };
  const [field, ...further] = each(settingOf(rule, 'field')).map((name) => scope.fields.get(String(name)));
  if (rule.on !== 'field_changed' || further.length > 0 || !field) return undefined;
  if (!['text', 'boolean'].includes(kindOfField(field) ?? '')) return undefined;
  return { field: field.name, values: each(settingOf(rule, 'to')).filter(isCompared) };
}

const isCompared = (value: unknown): value is ComparedValue =>
  value === null || typeof value === 'string' || typeof value === 'boolean';
