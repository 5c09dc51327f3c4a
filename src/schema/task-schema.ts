import { type RelationshipKind, type StageOutcome, type WayIntoStage } from '../entities/column-values.js';
import { type Stored, type Users } from './field-type.js';
import { type Asker, type Guards } from './guards.js';
import { type TaskLocks } from './locks.js';
import { type Property } from './property.js';
import { type TaskShape } from './serialize-task.js';

/** What the JSON of a workflow's tasks means, compiled once per definition. */
export interface TaskSchema extends TaskShape {
  /** Whether lists can be searched by words. */
  readonly isSearched: boolean;
  readonly stages: Stages;
  /** The ids of its clocks. */
  readonly clocks: ReadonlySet<string>;
  readonly users: Users;
  /** In the order of a response. */
  readonly properties: readonly Property[];
  readonly byName: ReadonlyMap<string, Property>;
  /** What a linked task shows: all but its own links. */
  readonly own: TaskShape;
  /** The sides of relationships that the tasks stand at, by their key in `TaskChange.links`. */
  readonly links: ReadonlyMap<string, Link>;
  readonly uniqueId: UniqueIdField | undefined;
  /** Names of the required fields by id; the Unique ID field stands in `uniqueId`. */
  readonly required: ReadonlyMap<string, string>;
  /** The fields that hold attachments, by id. */
  readonly files: ReadonlyMap<string, FileField>;
  /** What the definition keeps from being changed, by who asks. */
  readonly guards: Readonly<Record<Asker, Guards>>;
  /** What stages keep payloads from changing, of these tasks and of those linked to them. */
  readonly locks: TaskLocks;
  /** Values by field id that a new task has where its payload is silent. */
  readonly defaults: ReadonlyMap<string, Stored>;
}

export interface UniqueIdField {
  readonly name: string;
  readonly required: boolean;
  readonly autoincrement: boolean;
}

export interface FileField {
  readonly name: string;
  /** How many attachments it may hold. */
  readonly limit: number;
}

/** One side of a relationship, as the tasks of a workflow hold it under its name. */
export interface Link {
  readonly name: string;
  /** Tells this side from all others of the workspace: the relationship's id behind `>` at "from", `<` at "to". */
  readonly side: string;
  readonly relationshipId: string;
  readonly kind: RelationshipKind;
  /** Whether the tasks that hold it stand at the relationship's "from". */
  readonly isFrom: boolean;
  /** Whether a task may hold many tasks under it. */
  readonly isMultiple: boolean;
  /** Whether a task can be held by one other only. */
  readonly isExclusive: boolean;
  /** Whether one of its sides is for actions to change, which changes both. */
  readonly isByActions: boolean;
  readonly otherWorkflowId: number;
  /** The id of that workflow in paths. */
  readonly otherWorkflow: string;
}

export interface Stage {
  readonly id: number;
  readonly name: string;
  readonly isEnd: boolean;
  /** Of an end stage. */
  readonly outcome: StageOutcome;
  readonly enter: WayIntoStage;
  /** What else the definition says. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The stages of a workflow, in order, with the one that new tasks enter. */
export class Stages {
  private readonly byName: ReadonlyMap<string, Stage>;
  private readonly byId: ReadonlyMap<number, Stage>;

  constructor(
    readonly all: readonly Stage[],
    readonly initial: Stage,
  ) {
    this.byName = new Map(all.map((stage) => [stage.name, stage]));
    this.byId = new Map(all.map((stage) => [stage.id, stage]));
  }

  named(name: string): Stage | undefined {
    return this.byName.get(name);
  }

  /** The stage of this id; throws when the workflow has none such, as a foreign key makes impossible. */
  get(id: number): Stage {
    const stage = this.byId.get(id);
    if (!stage) throw new Error(`no stage ${id}`);
    return stage;
  }
}
