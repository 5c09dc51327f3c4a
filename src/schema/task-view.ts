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
}
