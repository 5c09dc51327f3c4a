import { type ActionEntity } from '../entities/action.entity.js';

/** What an action says of how it is started. */
export interface ActionSettings {
  /** `by_rules`: neither people nor clients start it. */
  readonly start?: 'by_rules';
  /** What is asked of who starts it: fields of the task by name, in order. */
  readonly fields?: readonly ActionField[];
}

export interface ActionField {
  readonly field: string;
  readonly required?: true;
}

/** The settings of a stored action. */
export function settingsOfAction({ settings }: Pick<ActionEntity, 'settings'>): ActionSettings {
  return settings;
}

/** Whether neither people nor clients start the action. */
export function isStartedByRules(action: Pick<ActionEntity, 'settings'>): boolean {
  return settingsOfAction(action).start === 'by_rules';
}

/** Why neither people nor clients start such an action. */
export const startedByRules = 'is started by rules';
