import { ApiProperty } from '@nestjs/swagger';

/** The address of a rule on hook. */
export class Hook {
  @ApiProperty({ format: 'uri', description: 'The sender must also know the secret of the rule.' })
  readonly url!: string;
}
