import { IsOptional, IsString, Matches } from 'class-validator';

/** How much of a list is asked for: all, or a page of at most `_limit` behind the cursor `_after`. */
export class Page {
  static readonly names: readonly string[] = ['_limit', '_after'];

  @IsOptional()
  @Matches(/^0*([1-9]\d{0,2}|1000)$/, { message: 'is not a whole number from 1 to 1000' })
  _limit?: string;

  @IsOptional()
  @IsString()
  _after?: string;
}
