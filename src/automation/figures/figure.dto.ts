import { ApiProperty, ApiPropertyOptional, ApiSchema } from '@nestjs/swagger';
import { ChoosingQuery } from '../../tasks/tasks.dto.js';

/** What a point stands for, such as a day, and its figures in the order of the columns. */
export type Point = readonly [at: string, ...figures: (number | null)[]];

@ApiSchema({ name: 'FigureSeries', description: 'One line, band or row of bars of a figure.' })
export class Series {
  @ApiProperty({ description: 'Such as a stage, a group, or both: `High: In Review`.' })
  readonly name!: string;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', minItems: 2, items: { type: ['string', 'number', 'null'] } },
    description: 'What a point is about, such as a day, and its figures; times are in seconds.',
    example: [['2026-11-01', 12]],
  })
  readonly points!: readonly Point[];
}

@ApiSchema({ name: 'Figure' })
export class Figure {
  @ApiProperty({ description: 'What exactly it counts.' })
  readonly definition!: string;

  @ApiProperty({ format: 'date-time', description: 'The changes up to this time are in it.' })
  readonly as_of!: string;

  @ApiProperty({ type: () => [Series] })
  readonly series!: readonly Series[];
}

/** The parameters of a figure; `readFigureQuery` reads all of them. */
export class FigureQueryDto extends ChoosingQuery {
  @ApiPropertyOptional({ type: String, format: 'date', description: 'The first day, in the time zone of the workspace.' }) // prettier-ignore
  readonly from: unknown;

  @ApiPropertyOptional({ type: String, format: 'date', description: 'The day after the last one. There are at most 400 points.' }) // prettier-ignore
  readonly to: unknown;

  @ApiPropertyOptional({ enum: ['day', 'week'], enumName: 'FigureInterval', description: 'How much a point covers; weeks begin on Monday.' }) // prettier-ignore
  readonly interval: unknown;

  @ApiPropertyOptional({ type: String, description: '`Stage`, `Assigned To`, or a field with one option, a person or a checkbox: a series for each of its values.' }) // prettier-ignore
  readonly group: unknown;

  @ApiPropertyOptional({ enum: ['elapsed', 'working'], enumName: 'FigureTime', description: 'The time that is measured; `working` by the first calendar of the workspace.' }) // prettier-ignore
  readonly _time: unknown;

  @ApiPropertyOptional({ enum: ['true', 'false'], enumName: 'Flag', description: 'true: imported tasks count as well.' }) // prettier-ignore
  readonly _imports: unknown;
}
