import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Timer' })
export class ShownTimer {
  @ApiProperty({ description: 'Opaque.' })
  readonly id!: string;

  @ApiProperty({ description: 'The id of the action that it starts.' })
  readonly action_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When it starts the action.' })
  readonly at!: string;
}
