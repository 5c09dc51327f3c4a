import { type Stored } from './field-type.js';

/** The version of a task that was read. */
export interface TaskVersion {
  readonly version: number;
  /**
   * The time of the last change, in milliseconds since 1970. After the database is restored, a version number
   * can occur again, but with another time.
   */
  readonly changedAt: number;
}

/** A stored task in the form that its properties read. */
export interface TaskView extends Partial<TaskVersion> {
  readonly publicId: string;
  readonly uniqueValue: string | null;
  readonly stageId: number;
  readonly assigneeId: string | null;
  /** The instant of creation; present only in lists that request it. */
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  readonly dueAt?: Date | null;
  readonly fieldValues: Readonly<Record<string, Stored>>;
  /**
   * The linked tasks, in the order of creation. Null if they are too many or too large for memory, and absent
   * if they were not read.
   */
  readonly linked?: readonly LinkedTask[] | null;
}

/** A task without data, used as the base of comparisons and of new tasks. */
export const blankTask: TaskView = {
  publicId: '',
  uniqueValue: null,
  stageId: 0,
  assigneeId: null,
  fieldValues: {},
};

export interface LinkedTask extends Omit<TaskView, keyof TaskVersion>, TaskVersion {
  /** The side of the relationship from which a link leads to this task. */
  readonly side: string;
}
