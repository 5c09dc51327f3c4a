import { eventTypes } from '../common/named-by-features.js';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { PageQuery } from '../common/http/paged-list.js';
import { keptText, say } from '../common/message.js';

const isAny = (name: string): string => `${name} If repeated, one matching value is enough.`;

export class FeedQuery extends PageQuery {
  @ApiPropertyOptional({ description: 'A cursor from `Link`, or `now`. Default: the oldest stored event.' })
  @IsOptional()
  @IsString()
  override _after?: string;

  @ApiPropertyOptional({ description: 'The most events of a page. Default: 1,000.', type: 'integer' })
  override _limit?: string;

  @ApiPropertyOptional({
    description: isAny('Only events of this type.'),
    type: 'array',
    items: { type: 'string', enum: eventTypes },
  })
  @IsOptional()
  @IsIn(eventTypes, {
    each: true,
    message: () => keptText(say`is not a type of event; the types are: ${eventTypes.join(', ')}`),
  })
  type?: string[];

  @ApiPropertyOptional({ description: isAny('Only events of the workflow with this id.'), type: [String] })
  @IsOptional()
  workflow?: string[];

  @ApiPropertyOptional({ description: isAny('Only events of the task with this id.'), type: [String] })
  @IsOptional()
  task?: string[];

  @ApiPropertyOptional({
    description: isAny('Only events of tasks that had this Unique ID.'),
    type: [String],
  })
  @IsOptional()
  unique_id?: string[];

  @ApiPropertyOptional({ description: isAny('Only events that changed this key of a task.'), type: [String] })
  @IsOptional()
  field?: string[];
}
