import { type Fact } from '../../workflows/expressions/scope.js';
import Type, { type Static, type TObject } from 'typebox';
import { type EntityManager } from 'typeorm';
import { type EventNames } from '../../events/event-names.js';
import { type RecordedEvent } from '../../events/events.repository.js';
import { type Message } from '../../common/message.js';
import { type Report, type WorkflowScope } from '../../workflows/model/check/kit.js';
import { asText, readAs, readExact } from '../../workflows/model/definition-reader.js';
import { type RuleDefinition } from './rule-definition.js';
import { type SettingWords } from '../../workflows/model/schema-parts.js';
import { type Workflow } from '../../workflows/model/workspace.js';
import { type HookSubject } from './hooks/hook-subject.js';

/** A trigger of rules. To add one, add a file in triggers/ and a line in trigger-types.ts. */
export interface TriggerType<Settings extends object = object> {
  /** The settings that only this trigger has. Their title and description describe the trigger. */
  readonly settings: TObject;
  /** The types of events that can match. */
  readonly types: readonly string[];
  /** What `when` may read besides the task and the actor. */
  readonly reads?: EventSubject;
  /** Reports settings that do not fit the workflow. */
  check?(rule: RuleDefinition<Settings>, scope: WorkflowScope, report: Report): void;
  compile(rule: RuleDefinition<Settings>, workflow: Workflow): Judge;
}

/** Besides the task and the actor, an event may have a subject, which `when` reads by this name. */
type EventSubject = 'comment' | 'item' | 'execution' | 'approval' | 'body';

/** The facts that `when` may read besides the task. */
export function factsOf(trigger: TriggerType | undefined): readonly Fact[] {
  return trigger?.reads === undefined ? ['actor'] : ['actor', trigger.reads];
}

export type Judge = (facts: EventFacts) => Verdict | Promise<Verdict>;

export interface EventFacts {
  readonly event: RecordedEvent;
  readonly workflow: Workflow;
  readonly names: EventNames;
  readonly db: EntityManager;
}

export interface Verdict {
  readonly isMet: boolean;
  /** What happened, such as `Stage became Done`, or why the rule is not triggered. */
  readonly because: Message;
  /** The hook request that triggered the rule. */
  readonly hook?: HookSubject | undefined;
}

export function triggerType<Schema extends TObject>(
  settings: Schema,
  type: Omit<TriggerType<Static<Schema>>, 'settings'>,
): TriggerType {
  return { settings, ...type };
}

export const oneOrMany = (words: SettingWords) =>
  readAs(
    Type.Unsafe<string | string[]>({
      ...words,
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      maxItems: 100,
      items: { type: 'string', minLength: 1 },
    }),
    (value) => (Array.isArray(value) ? value.map(asText) : asText(value)),
  );

/** A value of a field, or a list of values. Null means blank. */
export const valueOrMany = (words: SettingWords) =>
  readAs(
    Type.Unsafe<ComparedValue | ComparedValue[]>({
      ...words,
      type: ['string', 'number', 'boolean', 'null', 'array'],
      minItems: 1,
      maxItems: 100,
      items: { type: ['string', 'number', 'boolean', 'null'] },
    }),
    (value, holder, key) => {
      const exact = readExact(value, holder, key);
      return Array.isArray(exact) ? exact.map(comparedValue) : comparedValue(exact);
    },
  );

/** A value from a definition. A number is kept as text, and null means blank. */
export type ComparedValue = string | boolean | null;

function comparedValue(value: unknown): ComparedValue {
  return typeof value === 'boolean' || value === null ? value : asText(value as string);
}

/** Returns the values of a setting that is one value, a list or absent. */
export function each<T>(setting: T | readonly T[] | undefined): readonly T[] {
  if (setting === undefined) return [];
  return Array.isArray(setting) ? (setting as readonly T[]) : [setting as T];
}
