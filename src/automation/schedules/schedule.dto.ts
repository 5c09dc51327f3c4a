import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** A schedule in the API. The definition says what the schedule does. */
@ApiSchema({ name: 'Schedule' })
export class ShownSchedule {
  @ApiProperty({ description: 'The id in the definition.' })
  readonly id!: string;

  @ApiProperty({
    description: 'When the schedule fires: minute, hour, day of the month, month, day of the week.',
  })
  readonly cron!: string;

  @ApiProperty({ description: 'The time zone of `cron`.' })
  readonly timezone!: string;

  @ApiProperty({ enum: ['active', 'paused'] })
  readonly state!: 'active' | 'paused';

  @ApiProperty({ type: [String], description: 'The next five firings, as instants.' })
  readonly next!: readonly string[];

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time of the newest run.',
  })
  readonly last_run_at!: string | null;
}

export class EventSchedule {
  @ApiProperty({ description: 'The id of the schedule.' })
  readonly id!: string;
}
