import { ApiProperty, ApiSchema } from '@nestjs/swagger';

@ApiSchema({ description: 'The result of a deletion by filter.' })
export class TasksDeleted {
  @ApiProperty({ description: 'How many tasks: all that the filter found.', type: 'integer' })
  readonly deleted!: number;
}
