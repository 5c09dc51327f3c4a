import { Controller, Get, Param, Req } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProduces,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Request } from 'express';
import { notFound } from '../../common/errors.js';
import { say } from '../../common/message.js';
import { jsonReply } from '../../common/http/replies.js';
import { readQuery, ValidatesQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { filters } from '../../tasks/tasks.dto.js';
import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { type Scope } from '../../workflows/model/scope.js';
import { Figure, FigureQueryDto, figureTable } from './figure.dto.js';
import { FiguresService } from './figures.service.js';
import { isMetric, metrics } from './metrics.js';

const points = Object.entries(metrics).map(([name, { columns }]) => `${name} (${columns.join(', ')})`);

@Controller('api/v1/workflows/:workflow_id/metrics/:metric')
@ApiTags('Figures')
export class FiguresController {
  constructor(private readonly figures: FiguresService) {}

  @Get()
  @ValidatesQuery
  @ApiOperation({
    summary: 'Read a figure',
    description: `The metrics, each with the values in a point: ${points.join('; ')}. With \`Accept: text/csv\`, the answer is a CSV table.`,
  })
  @ApiParam({ name: 'metric', enum: Object.keys(metrics) })
  @ApiQuery(filters)
  @ApiQuery({ type: FigureQueryDto })
  @ApiProduces('application/json', 'text/csv')
  @ApiExtraModels(Figure)
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(Figure) } },
      'text/csv': { schema: { type: 'string' } },
    },
  })
  async read(
    @CurrentScope() scope: Scope,
    @Param('metric') name: string,
    @Req() request: Request,
  ): Promise<Reply> {
    if (!isMetric(name))
      throw notFound(say`There is no figure ${name}. The figures are ${Object.keys(metrics).join(', ')}.`);
    const figure = await this.figures.read(scope, metrics[name], readQuery(request.originalUrl));
    const isTable = request.accepts(['json', 'text/csv']) === 'text/csv';
    return isTable ? figureTable(figure, metrics[name].columns) : jsonReply(JSON.stringify(figure));
  }
}
