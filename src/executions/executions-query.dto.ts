import { IsIn, IsOptional, IsString } from 'class-validator';
import { Page } from '../answers/page.dto.js';

const flag = { message: 'is not true or false' };

/** How much of an execution is asked for. */
export class ExecutionQuery {
  static readonly names: readonly string[] = ['_verbose'];

  @IsOptional()
  @IsIn(['true', 'false'], flag)
  _verbose?: string;
}

/** Which executions of a workflow are asked for. */
export class ExecutionsQuery extends Page {
  static override readonly names: readonly string[] = ['_limit', '_after', '_verbose', 'task_id', 'status'];

  @IsOptional()
  @IsIn(['true', 'false'], flag)
  _verbose?: string;

  /** The Unique ID of a task. */
  @IsOptional()
  @IsString()
  task_id?: string;

  @IsOptional()
  @IsIn(['Pending', 'Success', 'Fail'], { message: 'is not one of: Pending, Success, Fail' })
  status?: string;
}
