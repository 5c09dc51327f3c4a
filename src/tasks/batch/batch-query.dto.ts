import { IsIn, IsOptional } from 'class-validator';

const flag = { message: 'is not true or false' };

/** How a batch is to be written. */
export class BatchQuery {
  static readonly names = ['_atomic', '_dry_run'];

  /** Whether it is all or nothing. */
  @IsOptional()
  @IsIn(['true', 'false'], flag)
  _atomic?: string;

  /** Whether nothing is written, but told what would be. */
  @IsOptional()
  @IsIn(['true', 'false'], flag)
  _dry_run?: string;
}
