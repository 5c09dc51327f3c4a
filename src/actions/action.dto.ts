import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Flag } from '../http/query.decorator.js';
import { ref } from '../openapi/vocabulary.js';

/** The query parameters of the list of actions. */
export class ActionsQuery {
  @Flag('All actions, with what stands in their way.')
  _explain?: string;

  @ApiPropertyOptional({ description: 'As this user (e-mail) would see them.' })
  @IsOptional()
  @IsString()
  performed_by?: string;
}

/** A field that an action asks for. */
@ApiSchema({ name: 'ActionField' })
export class ShownActionField {
  @ApiProperty({ description: 'The name of the field: the key under which `fields` gives its value.' })
  readonly name!: string;

  @ApiProperty({ description: 'The type of the field.' })
  readonly type!: string;

  @ApiProperty({ description: 'Whether the action is not begun without a value.' })
  readonly required!: boolean;

  @ApiProperty({
    description: 'What the task has now, as its JSON shows it.',
    nullable: true,
    oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
  })
  readonly value!: unknown;
}

/** An action as interface.md 2.4 shows it. */
@ApiSchema({ name: 'Action' })
export class ShownAction {
  @ApiProperty({ allOf: [ref('ActionId')] })
  readonly id!: string;

  @ApiProperty({ description: 'As people see it.' })
  readonly name!: string;

  @ApiPropertyOptional({ description: 'With `_explain` only: whether a POST would begin it.' })
  readonly available?: boolean;

  @ApiPropertyOptional({ description: 'With `_explain` only: what a POST would answer.', type: [String] })
  readonly unmet?: readonly string[];

  @ApiPropertyOptional({
    description: 'Only of an action that asks for values: what a POST gives by `fields`.',
    type: () => [ShownActionField],
  })
  readonly fields?: readonly ShownActionField[];
}
