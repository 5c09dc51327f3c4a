import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { eventTypes } from '../entities/column-values.js';
import { PageQuery } from '../http/paged-list.js';
import { telling } from '../http/read-dto.js';
import { say } from '../lib/message.js';

const isAny = (name: string): string => `${name} Repeated, it means any of them.`;

/** The query parameters of the feed. */
export class FeedQuery extends PageQuery {
  @ApiPropertyOptional({
    description:
      'The cursor of the page before, as `Link` has it; `now` is the end of the feed. Without it the oldest event that is kept comes first.',
  })
  @IsOptional()
  @IsString()
  override _after?: string;

  @ApiPropertyOptional({
    description: 'How many events at most; 1,000 unless told otherwise. A stream has no end.',
    type: 'integer',
  })
  override _limit?: string;

  @ApiPropertyOptional({ description: isAny('Only events of this type.'), enum: eventTypes, isArray: true })
  @IsOptional()
  @IsIn(eventTypes, {
    each: true,
    ...telling(say`is not a type of event; there are: ${eventTypes.join(', ')}`),
  })
  type?: string[];

  @ApiPropertyOptional({ description: isAny('Only events of the workflow of this id.'), type: [String] })
  @IsOptional()
  workflow?: string[];

  @ApiPropertyOptional({
    description: isAny('Only events of the task with this id in its `Task URL`.'),
    type: [String],
  })
  @IsOptional()
  task?: string[];

  @ApiPropertyOptional({
    description: isAny(
      'Only events of tasks that had this Unique ID then: also of one that is gone, or was called otherwise before.',
    ),
    type: [String],
  })
  @IsOptional()
  unique_id?: string[];

  @ApiPropertyOptional({
    description: isAny('Only events that changed the key of this name.'),
    type: [String],
  })
  @IsOptional()
  field?: string[];
}
