import { IsOptional } from 'class-validator';

/** Which items of a checklist are asked for. */
export class ChecklistItemsQuery {
  static readonly names = ['Stage'];

  /** The name of a stage; absent asks for all items. */
  @IsOptional()
  Stage?: string;
}
