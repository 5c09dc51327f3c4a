import { type TaskEntity } from '../entities/task.entity.js';
import { type Stored } from './field-type.js';

/** A stored task as its properties read it. */
export interface TaskView
  extends
    Readonly<Pick<TaskEntity, 'publicId' | 'uniqueValue' | 'stageId' | 'assigneeId' | 'version'>>,
    /** Present where a list asks for them. */
    Readonly<Partial<Pick<TaskEntity, 'createdAt' | 'updatedAt' | 'dueAt'>>> {
  /** When it was last changed, in milliseconds since 1970: tells it from a task of the same version in a restored database. */
  readonly changedAt: number;
  readonly fieldValues: Readonly<Record<string, Stored>>;
  /** The tasks linked to it, in the order of creation; null where they are too many to be held at once. */
  readonly linked?: readonly LinkedTask[] | null;
}

/** A task of which nothing is known yet: what others are compared with, and what new ones begin as. */
export const blankTask: TaskView = {
  publicId: '',
  uniqueValue: null,
  stageId: 0,
  assigneeId: null,
  version: 0,
  changedAt: 0,
  fieldValues: {},
};

/** A task at the other end of a link. */
export interface LinkedTask extends TaskView {
  /** The side of the relationship that the task in hand stands at. */
  readonly side: string;
}
