import { applyDecorators, Controller, Get, Req, type Type } from '@nestjs/common';
import {
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Request } from 'express';
import { jsonReply } from '../../common/http/replies.js';
import { readQuery, ValidatesQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { filters } from '../../tasks/tasks.dto.js';
import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { type Scope } from '../../workflows/model/scope.js';
import { figureTable } from './figure-csv.js';
import { Figure, FigureQueryDto } from './figure.dto.js';
import { type Metric } from './figure.js';
import { FiguresService } from './figures.service.js';
import { metrics } from './metrics.js';

/** A route for each figure. */
export const figureRoutes: Type[] = Object.values(metrics).map((metric: Metric) => {
  @Controller(`api/v1/workflows/:workflow_id/metrics/${metric.name}`)
  @ApiTags('Figures')
  class FigureRoute {
    constructor(private readonly figures: FiguresService) {}

    @Get()
    @ValidatesQuery
    @ApiFigure(metric)
    async read(@CurrentScope() scope: Scope, @Req() request: Request): Promise<Reply> {
      const figure = await this.figures.read(scope, metric, readQuery(request.originalUrl));
      const isTable = request.accepts(['json', 'text/csv']) === 'text/csv';
      return isTable ? figureTable(metric, figure) : jsonReply(JSON.stringify(figure));
    }
  }
  return FigureRoute;
});

function ApiFigure({ name, summary, columns }: Metric): MethodDecorator {
  return applyDecorators(
    ApiOperation({
      operationId: `read_${name}`.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      summary,
      description: `A point holds: ${columns.join(', ')}. With \`Accept: text/csv\`, the same as a table.`,
    }),
    ApiQuery(filters),
    ApiQuery({ type: FigureQueryDto }),
    ApiProduces('application/json', 'text/csv'),
    ApiExtraModels(Figure),
    ApiOkResponse({
      content: {
        'application/json': { schema: { $ref: getSchemaPath(Figure) } },
        'text/csv': { schema: { type: 'string' } },
      },
    }),
  );
}
