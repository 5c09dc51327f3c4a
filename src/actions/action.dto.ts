import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { Flag } from '../common/http/query.decorator.js';
import { ref } from '../common/openapi/vocabulary.js';

export class ActionsQuery {
  @Flag('Lists the actions of all stages, each with its unmet requirements.')
  _explain?: string;

  @ApiPropertyOptional({ description: 'The e-mail of a user: lists the actions as this user sees them.' })
  @IsOptional()
  @IsString()
  performed_by?: string;
}

@ApiSchema({ name: 'ActionField' })
export class ShownActionField {
  @ApiProperty({
    description:
      'The name of the field. To start the action, write the value of the field in `fields` under this name.',
  })
  readonly name!: string;

  @ApiProperty({ description: 'The type of the field.' })
  readonly type!: string;

  @ApiProperty({ description: 'Whether the action needs a value to begin.' })
  readonly required!: boolean;

  @ApiProperty({
    description: 'The current value of the field, as the JSON of the task shows it.',
    nullable: true,
    oneOf: [{ type: 'string' }, { type: 'boolean' }, { type: 'array', items: { type: 'string' } }],
  })
  readonly value!: unknown;
}

@ApiSchema({ name: 'Action' })
export class ShownAction {
  @ApiProperty({ allOf: [ref('ActionId')] })
  readonly id!: string;

  @ApiProperty({ description: 'The name that people see.' })
  readonly name!: string;

  @ApiPropertyOptional({ description: 'Only with `_explain`: whether a POST would begin the action.' })
  readonly available?: boolean;

  @ApiPropertyOptional({ description: 'Only with `_explain`: the unmet requirements.', type: [String] })
  readonly unmet?: readonly string[];

  @ApiPropertyOptional({ description: 'The fields to ask for.', type: () => [ShownActionField] })
  readonly fields?: readonly ShownActionField[];
}
