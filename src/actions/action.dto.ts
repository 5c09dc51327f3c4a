import { IsIn, IsOptional, IsString } from 'class-validator';

/** Which actions of a task are asked for. */
export class ActionsQuery {
  static readonly names = ['_explain', 'performed_by'];

  /** Whether all actions are, with what stands in their way. */
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'is not true or false' })
  _explain?: string;

  /** The e-mail of the user as whom they would be performed. */
  @IsOptional()
  @IsString()
  performed_by?: string;
}
