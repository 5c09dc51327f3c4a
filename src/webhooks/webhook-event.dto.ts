import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ref } from '../common/openapi/vocabulary.js';

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
