import { IsOptional, Matches } from 'class-validator';
import { Flag } from '../http/query.decorator.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

/** A workspace, or a workflow in a list. */
export class Named {
  @ApiProperty({ description: 'As paths and payloads name it.' })
  readonly id!: string;

  @ApiProperty({ description: 'As people see it.' })
  readonly name!: string;
}

/** A stage in a list. */
export class StageName {
  @ApiProperty({ description: 'As people see it.' })
  readonly name!: string;
}

/** A role in a list. */
@ApiSchema({ name: 'Role' })
export class NamedRole {
  @ApiProperty({ description: 'As paths and payloads name it.' })
  readonly id!: string;

  @ApiProperty({ description: 'As people see it.' })
  readonly name!: string;

  @ApiProperty({ description: 'Whether it may do everything.' })
  readonly admin!: boolean;
}

/** A user of a workflow; without a role if the workflow defines none. */
@ApiSchema({ name: 'User' })
export class Participant {
  @ApiProperty({ description: 'As paths and payloads name it.' })
  readonly id!: string;

  @ApiProperty({ description: 'By which payloads name the user.' })
  readonly email!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null where nobody has said.' })
  readonly first_name!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Null where nobody has said.' })
  readonly last_name!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The role in this workflow; null where that defines none.',
  })
  readonly role_id!: string | null;

  @ApiPropertyOptional({
    type: [String],
    description: 'Of who holds several roles: all of them; `role_id` is the first.',
  })
  readonly role_ids?: readonly string[];
}

/** The query parameters of a change of the definition, named like the options of `wts`. */
class DefinitionQuery {
  @Flag('Loses what the new definition has no place for.')
  'allow-data-loss'?: 'true' | 'false';

  @Flag('Lets clocks that this makes overdue at once do what they say.')
  'fire-overdue'?: 'true' | 'false';

  @ApiPropertyOptional({
    description: 'Who does it, as the history names them behind the key: one line of at most 200 characters.',
    maxLength: 200,
  })
  @IsOptional()
  @Matches(/^[^\p{Cc}\u2028\u2029]{1,200}$/u, { message: 'is not one line of 1 to 200 characters' })
  author?: string;
}

/** The query parameters of a plan or an apply. */
export class ChangeQuery extends DefinitionQuery {
  @Flag('Removes what the document does not name; users are deactivated.')
  'prune'?: 'true' | 'false';
}

const version = /^[1-9]\d{0,8}$/;
const isNoVersion = { message: 'is not the number of a version' };

/** The version that is to be in force again. */
export class RollbackQuery extends DefinitionQuery {
  @ApiProperty({ description: 'The number of the version, as the history has it.', type: 'integer' })
  @Matches(version, isNoVersion)
  to!: string;

  @Flag('Answers as a plan does, and writes nothing.')
  dry_run?: 'true' | 'false';
}

/** A page of the history. */
export class HistoryQuery {
  @ApiPropertyOptional({ description: 'Those before this version.', type: 'integer' })
  @IsOptional()
  @Matches(version, isNoVersion)
  before?: string;
}
