import { type Stored } from './field-type.js';

/** A stored task as its properties read it. */
export interface TaskView {
  readonly publicId: string;
  readonly uniqueValue: string | null;
  readonly stageId: number;
  readonly assigneeId: string | null;
  readonly fieldValues: Readonly<Record<string, Stored>>;
  readonly version: number;
}
