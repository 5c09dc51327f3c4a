import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { IsFilled, IsText } from '../../common/http/read-dto.js';
import { ShownChainLink } from '../../events/event.dto.js';

/** A rule as the API shows it. Only the definition contains all settings. */
@ApiSchema({ name: 'Rule' })
export class ShownRule {
  @ApiProperty({ description: 'The id in the definition.' })
  readonly id!: string;

  @ApiProperty({ description: 'The trigger, as in the definition.' })
  readonly on!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the action; null if its workflow is hidden.',
  })
  readonly run!: string | null;

  @ApiProperty({ enum: ['active', 'paused'] })
  readonly state!: 'active' | 'paused';

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly last_run_at!: string | null;
}

@ApiSchema({ name: 'ExplainedEvent' })
export class ExplainPayload {
  @ApiProperty({ description: 'The id of an event of this workflow: `evt_…`.' })
  @IsText()
  @IsFilled()
  readonly event?: string;
}

@ApiSchema({ name: 'RuleExplanation' })
export class Explanation {
  @ApiProperty({ description: 'The id of the rule.' })
  readonly rule!: string;

  @ApiProperty({ description: 'Whether the event triggers the rule.' })
  readonly matched!: boolean;

  @ApiProperty({ description: 'What happened, or why the event does not trigger the rule.' })
  readonly because!: string;
}

export class Hook {
  @ApiProperty({ format: 'uri', description: 'The sender must also know the secret of the rule.' })
  readonly url!: string;
}

export class EventRule {
  @ApiProperty({ description: 'The id of the rule.' })
  readonly id!: string;

  @ApiPropertyOptional({ type: () => [ShownChainLink], description: 'For a loop: the chain of rules.' })
  readonly chain?: readonly ShownChainLink[];
}

@ApiSchema({ description: 'A request that a rule with `on: hook` received.' })
export class EventHook {
  @ApiProperty({ description: 'The id of the rule.' })
  readonly rule!: string;

  @ApiProperty({ type: String, nullable: true, description: 'The id that the sender gave the request.' })
  readonly webhook_id!: string | null;
}
