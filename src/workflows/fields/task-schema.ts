import { type Stored, type Users } from './field-type.js';
import { type Asker, type Guards, type TaskLocks } from './protection.js';
import { type Property } from './property.js';
import { type TaskShape } from './serialize-task.js';

/** The kinds of relationships. The first word counts the tasks at `from`, the last word the tasks at `to`. */
export const relationshipKinds = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'] as const;
export type RelationshipKind = (typeof relationshipKinds)[number];

/**
 * How tasks may enter a stage: by any write, or only by actions. New tasks may always enter the initial
 * stage.
 */
export const waysIntoStages = ['freely', 'by_actions'] as const;
export type WayIntoStage = (typeof waysIntoStages)[number];

/** Who may change a value of a task: any writer, or only the steps of actions. */
export const waysOfChange = ['freely', 'by_actions'] as const;
export type WayOfChange = (typeof waysOfChange)[number];

/** The meanings of an end stage: its tasks were finished, or were given up. */
export const stageOutcomes = ['done', 'dropped'] as const;
export type StageOutcome = (typeof stageOutcomes)[number];

/**
 * How the JSON of a workflow's tasks is parsed and serialized. Compiled with the definition, not for each
 * request.
 */
export interface TaskSchema extends TaskShape {
  readonly isSearched: boolean;
  readonly stages: Stages;
  /** The ids of the workflow's clocks, which give tasks deadlines. Without clocks, tasks are never due. */
  readonly deadlines: ReadonlySet<string>;
  /** The earliest deadline in the fields of a new task. Leaves out clocks whose deadline is in no field. */
  readonly dueAt: (stage: Stage, valueOf: (fieldId: string) => Stored | undefined) => string | undefined;
  readonly users: Users;
  /** The keys, in the order of a response. */
  readonly properties: readonly Property[];
  readonly byName: ReadonlyMap<string, Property>;
  /** The keys that a task shows where it is a linked task: all except its own links. */
  readonly own: TaskShape;
  /** The sides of the workflow's relationships, by `Link.side`, as in `TaskChange.links`. */
  readonly links: ReadonlyMap<string, Link>;
  readonly uniqueId: UniqueIdField | undefined;
  /** The names of required fields by id; for the Unique ID field, see `uniqueId`. */
  readonly required: ReadonlyMap<string, string>;
  /** The fields that hold attachments, by id. */
  readonly files: ReadonlyMap<string, FileField>;
  readonly guards: Readonly<Record<Asker, Guards>>;
  /** The keys that stages lock against payloads, in tasks of the workflow and in tasks linked to them. */
  readonly locks: TaskLocks;
  /** The default values of a new task, by field id. */
  readonly defaults: ReadonlyMap<string, Stored>;
}

export interface UniqueIdField {
  readonly name: string;
  readonly required: boolean;
  readonly autoincrement: boolean;
}

export interface FileField {
  readonly name: string;
  readonly limit: number;
}

/** One side of a relationship, as seen from the tasks of a workflow. */
export interface Link {
  readonly name: string;
  /**
   * Identifies this side in the workspace: `>` for "from" or `<` for "to", and then the id of the
   * relationship.
   */
  readonly side: string;
  readonly relationshipId: string;
  readonly kind: RelationshipKind;
  /** Whether the tasks of the workflow are at the relationship's "from". */
  readonly isFrom: boolean;
  /** Whether a task may have several links on this side. */
  readonly isMultiple: boolean;
  /** Whether a task at the other end can be linked to only one task. */
  readonly isExclusive: boolean;
  /** Whether only actions may change the links. Setting this on one side applies to both sides. */
  readonly isByActions: boolean;
  readonly otherWorkflowId: number;
  /** The id that paths use for the other workflow. */
  readonly otherWorkflow: string;
}

export interface Stage {
  readonly id: number;
  readonly name: string;
  readonly isEnd: boolean;
  /** The meaning of an end stage; `done` for other stages. */
  readonly outcome: StageOutcome;
  readonly enter: WayIntoStage;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The stages of a workflow, in order, and the stage that new tasks enter by default. */
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

  /** The stage with this id. Throws if the workflow has no such stage. */
  get(id: number): Stage {
    const stage = this.byId.get(id);
    if (!stage) throw new Error(`no stage ${id}`);
    return stage;
  }
}
