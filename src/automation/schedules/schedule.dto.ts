import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { type RunResult, runResults } from '../../common/column-values.js';

export class LastFiring {
  @ApiProperty({ description: 'The local time that it fired for, with its offset.' })
  readonly nominal!: string;

  @ApiProperty({ format: 'date-time', description: 'When it fired.' })
  readonly at!: string;

  @ApiProperty({ enum: runResults, description: 'The result of the firing.' })
  readonly result!: RunResult;
}

/** A schedule as the API shows it; what it does is in the definition. */
@ApiSchema({ name: 'Schedule' })
export class ShownSchedule {
  @ApiProperty({ description: 'The id in the definition.' })
  readonly id!: string;

  @ApiProperty({ description: 'When it fires: minute, hour, day of the month, month, day of the week.' })
  readonly cron!: string;

  @ApiProperty({ description: 'The time zone of `cron`.' })
  readonly timezone!: string;

  @ApiProperty({ enum: ['active', 'paused'] })
  readonly state!: 'active' | 'paused';

  @ApiProperty({ type: [String], description: 'The next five firings, as instants.' })
  readonly next!: readonly string[];

  @ApiProperty({ type: () => LastFiring, nullable: true })
  readonly last!: LastFiring | null;
}

export class EventSchedule {
  @ApiProperty({ description: 'The id of the schedule.' })
  readonly id!: string;
}
