import { IsOptional, IsString } from 'class-validator';
import { Flag } from '../http/query.decorator.js';
import { Described, QueryParameter } from '../lib/described.js';
import { flag, listOf, ref, textSchema } from '../openapi/vocabulary.js';

/** Which actions of a task are asked for. */
export class ActionsQuery {
  @Flag('All actions, with what stands in their way.')
  _explain?: string;

  @QueryParameter('As this user (e-mail) would see them.')
  @IsOptional()
  @IsString()
  performed_by?: string;
}

/** An action as interface.md 2.4 shows it. */
export class ShownAction {
  @Described(ref('ActionId'))
  readonly id!: string;

  @Described(textSchema('As people see it.'))
  readonly name!: string;

  @Described(flag('With `_explain` only: whether a POST would begin it.'), { optional: true })
  readonly available?: boolean;

  @Described(
    { description: 'With `_explain` only: what a POST would answer.', ...listOf({ type: 'string' }) },
    { optional: true },
  )
  readonly unmet?: readonly string[];
}
