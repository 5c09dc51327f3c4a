import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'What a filter has deleted.' })
export class TasksDeleted {
  @ApiProperty({ description: 'How many tasks: all that the filter found.', type: 'integer' })
  readonly deleted!: number;
}
