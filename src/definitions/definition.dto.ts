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

/** Who works in a workflow; without a role where the workflow defines none. */
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

/** What a plan or an apply is told beside the definition, by the names that options of `wts` have. */
export class ChangeQuery {
  @Flag('Removes what the document does not name; users are deactivated.')
  'prune'?: 'true' | 'false';

  @Flag('Loses what the new definition has no place for.')
  'allow-data-loss'?: 'true' | 'false';

  @Flag('Lets clocks that this makes overdue at once do what they say.')
  'fire-overdue'?: 'true' | 'false';
}
