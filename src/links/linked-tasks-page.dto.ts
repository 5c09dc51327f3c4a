import { IsOptional, IsString, Matches } from 'class-validator';

/** Which of a task's linked tasks are asked for: all, or a page of at most `_limit` behind the cursor `_after`. */
export class LinkedTasksPage {
  static readonly names = ['_limit', '_after'];

  @IsOptional()
  @Matches(/^0*([1-9]\d{0,2}|1000)$/, { message: 'is not a whole number from 1 to 1000' })
  _limit?: string;

  @IsOptional()
  @IsString()
  _after?: string;
}
