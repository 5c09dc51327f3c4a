import { ApiProperty } from '@nestjs/swagger';

/** Where a rule on hook is called. */
export class Hook {
  @ApiProperty({ format: 'uri', description: 'Whoever sends to it must also know the secret of the rule.' })
  readonly url!: string;
}
