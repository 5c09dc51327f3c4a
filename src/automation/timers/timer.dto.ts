import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ name: 'Timer' })
export class ShownTimer {
  @ApiProperty({ description: 'The opaque id of the timer.' })
  readonly id!: string;

  @ApiProperty({ description: 'The id of the action that the timer starts.' })
  readonly action_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When the timer starts the action.' })
  readonly at!: string;
}
