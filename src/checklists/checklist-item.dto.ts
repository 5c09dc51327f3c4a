import { IsIn, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { statuses } from './statuses.js';

const given = ValidateIf((_: object, value: unknown) => value !== undefined);

/** What a request says of a checklist item; stage and assignee are read as those of tasks are. */
export class ChecklistItemDto {
  static readonly names = ['title', 'Stage', 'status', 'Assigned To', 'id', 'editable'];

  @given
  @Matches(/^[^\0\p{Surrogate}]*$/u, { message: 'contains a character that cannot be stored' })
  @Length(1, 500, { message: 'is not 1 to 500 characters long' })
  @IsString({ message: 'is not a text' })
  title?: string;

  @given
  @IsIn(statuses, { message: `is not one of: ${statuses.join(', ')}` })
  status?: (typeof statuses)[number];
}
