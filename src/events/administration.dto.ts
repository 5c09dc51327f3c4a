import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { keyScopes } from '../common/column-values.js';

export const whatChanged = {
  type: String,
  isArray: true,
  description: 'The names of the changed settings, without their values.',
} as const;

@ApiSchema({ description: 'About a key; the key itself is never shown.' })
export class EventKey {
  @ApiProperty({ description: 'The id of the key.' })
  readonly id!: string;

  @ApiProperty({ description: 'What it is for.' })
  readonly name!: string;

  @ApiProperty({ enum: keyScopes, description: 'What it may do.' })
  readonly scope!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it expires.' })
  readonly expires_at!: string | null;

  @ApiPropertyOptional(whatChanged)
  readonly changed?: readonly string[];
}

export class EventUser {
  @ApiProperty({ type: String, nullable: true, description: 'The current e-mail of the user.' })
  readonly email!: string | null;

  @ApiProperty({ description: 'Whether they may sign in and act.' })
  readonly active!: boolean;

  @ApiPropertyOptional(whatChanged)
  readonly changed?: readonly string[];
}
