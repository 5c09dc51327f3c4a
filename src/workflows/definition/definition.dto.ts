import { IsOptional, Matches } from 'class-validator';
import { Flag } from '../../common/http/query.decorator.js';
import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';

export class Named {
  @ApiProperty({ description: 'The id in paths and payloads.' })
  readonly id!: string;

  @ApiProperty({ description: 'The name that people see.' })
  readonly name!: string;
}

export class StageName {
  @ApiProperty({ description: 'The name that people see.' })
  readonly name!: string;
}

@ApiSchema({ name: 'Role' })
export class NamedRole extends Named {
  @ApiProperty({ description: 'Whether its members may do everything.' })
  readonly admin!: boolean;
}

/** A user of a workflow. If the workflow defines no roles, the user has no role. */
@ApiSchema({ name: 'User' })
export class Participant {
  @ApiProperty({ description: 'The id in paths.' })
  readonly id!: string;

  @ApiProperty({ description: 'Identifies the user in payloads.' })
  readonly email!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Null if it is not known.' })
  readonly first_name!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Null if it is not known.' })
  readonly last_name!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The first role; null if the user has no role.' })
  readonly role_id!: string | null;

  @ApiPropertyOptional({ type: [String], description: 'All roles of the user, if there are several.' })
  readonly role_ids?: readonly string[];
}

/** The query of a request that changes the definition. Options of the command `wts` have the same names. */
class DefinitionQuery {
  @Flag('Allows the loss of data that the new definition has no place for.')
  'allow-data-loss'?: 'true' | 'false';

  @ApiPropertyOptional({ description: 'The author, for the history: one line.', maxLength: 200 })
  @IsOptional()
  @Matches(/^[^\p{Cc}\u2028\u2029]{1,200}$/u, { message: 'is not one line of 1 to 200 characters' })
  author?: string;
}

export class ChangeQuery extends DefinitionQuery {
  @Flag('Removes elements that the document does not name; users are only deactivated.')
  'prune'?: 'true' | 'false';
}

const version = /^[1-9]\d{0,8}$/;
const isNoVersion = { message: 'is not the number of a version' };

export class RollbackQuery extends DefinitionQuery {
  @ApiProperty({ description: 'The number of the version, from the history.', type: 'integer' })
  @Matches(version, isNoVersion)
  to!: string;

  @Flag('Returns the plan, and changes nothing.')
  dry_run?: 'true' | 'false';
}

export class HistoryQuery {
  @ApiPropertyOptional({ description: 'Only versions before this one.', type: 'integer' })
  @IsOptional()
  @Matches(version, isNoVersion)
  before?: string;
}
