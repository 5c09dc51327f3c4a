import { type NameUse } from '../names.js';

/** The actions that the settings of a definition start, and the fields that they set. */
export class Uses {
  private readonly started = new Set<string>();
  private readonly set = new Set<string>();
  private readonly created = new Set<string>();

  note({ name, mark: { starts, sets }, workflows }: NameUse): void {
    for (const workflow of workflows) {
      const id = idIn(workflow, name);
      if (starts) this.started.add(id);
      if (sets) this.set.add(id);
      if (sets === 'new task') this.created.add(id);
    }
  }

  /** Whether a setting starts the action without a person. */
  isStarted = (workflow: string, action: string): boolean => this.started.has(idIn(workflow, action));

  /** Whether the field gets a value from an action, or from a setting that creates tasks. */
  isSet = (workflow: string, field: string): boolean => this.set.has(idIn(workflow, field));

  /** Whether a setting creates tasks with a value of the field. */
  isCreated = (workflow: string, field: string): boolean => this.created.has(idIn(workflow, field));
}

const idIn = (workflow: string, name: string): string => `${workflow}\n${name}`;
