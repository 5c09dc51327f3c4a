import { type Stored } from './field-type.js';

/** A stored task as its properties read it. */
export interface TaskView {
  readonly publicId: string;
  readonly uniqueValue: string | null;
  readonly stageId: number;
  readonly assigneeId: string | null;
  readonly fieldValues: Readonly<Record<string, Stored>>;
  readonly version: number;
  /** Present where a list asks for it, and so is the next. */
  readonly createdAt?: Date;
  readonly updatedAt?: Date;
  /** The tasks linked to it, in the order of creation; null where they are too many to be held at once. */
  readonly linked?: readonly LinkedTask[] | null;
}

/** A task at the other end of a link. */
export interface LinkedTask extends TaskView {
  /** The side of the relationship that the task in hand stands at. */
  readonly side: string;
}
