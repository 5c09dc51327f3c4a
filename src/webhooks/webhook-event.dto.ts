import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { webhookStates } from './webhook.entity.js';
import { ref } from '../common/openapi/vocabulary.js';
import { whatChanged } from '../events/administration.dto.js';

export class EventWebhook {
  @ApiProperty({ description: 'The id of the webhook.' })
  readonly id!: string;

  @ApiPropertyOptional({ enum: ['gone', 'failing'], description: 'Why it was disabled.' })
  readonly reason?: string;

  @ApiPropertyOptional({ enum: ['api', 'definition'], description: 'Where the webhook is managed.' })
  readonly managed_by?: string;

  @ApiPropertyOptional({ enum: webhookStates, description: 'Events are sent only to active webhooks.' })
  readonly state?: string;

  @ApiPropertyOptional(whatChanged)
  readonly changed?: readonly string[];
}

@ApiSchema({
  name: 'CurrentTask',
  description: 'Only for a webhook with `include: task`: the task as it is when the event is sent.',
})
export class CurrentTask {
  @ApiProperty({ type: 'integer' })
  readonly version!: number;

  @ApiProperty({ allOf: [ref('Task')] })
  readonly task!: unknown;
}
