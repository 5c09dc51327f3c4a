import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { isOverdue, endOf } from './clock-time.js';
import { type Clock, type ClockRow, type ClockState, isOpenClock } from './clock.js';
import { whyClock } from './clock-why.js';
import { nextDue } from './rungs.js';
import { instantText } from '../../workflows/time/zone.js';
import { clockStates } from './clock.entity.js';

@ApiSchema({ name: 'NextRung' })
class NextRung {
  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the action that the rung starts.' })
  readonly run!: string | null;
}

@ApiSchema({ name: 'Clock' })
export class ShownClock {
  @ApiProperty({ description: 'The id in the definition.' })
  readonly id!: string;

  @ApiProperty({
    enum: clockStates,
    description: '`met`, `breached` or `cancelled` once the clock has ended.',
  })
  readonly state!: ClockState;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The deadline; null if the clock is paused or has ended with time left.',
  })
  readonly due_at!: string | null;

  @ApiProperty({ description: 'Whether the deadline has passed and the clock has not ended.' })
  readonly overdue!: boolean;

  @ApiProperty({ type: () => NextRung, nullable: true })
  readonly next!: NextRung | null;

  @ApiProperty({
    type: String,
    description: 'The state in words, with the rest of the budget and the pauses.',
  })
  readonly why!: string;
}

export function showClock(clock: Clock, row: ClockRow, now: number): ShownClock {
  const end = endOf(clock, row);
  const next = isOpenClock(row) ? nextDue(clock, row) : null;
  return {
    id: clock.id,
    state: row.state,
    due_at: end === null ? null : instantText(end),
    overdue: isOverdue(clock, row, now),
    next: next && { at: instantText(next.dueAt), run: next.rung.run ?? null },
    why: whyClock(clock, row, now),
  };
}

export class EventClock {
  @ApiProperty({ description: 'The id of the clock.' })
  readonly id!: string;

  @ApiProperty({ description: 'The `at` of the rung.' })
  readonly rung!: string;

  @ApiProperty({ format: 'date-time', description: 'When the rung was due.' })
  readonly due_at!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the action that the rung starts.' })
  readonly run!: string | null;
}
