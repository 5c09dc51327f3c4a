import {
  applyDecorators,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
} from '@nestjs/common';
import {
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiQuery,
  ApiTags,
  getSchemaPath,
  ApiExtraModels,
} from '@nestjs/swagger';
import { type Request } from 'express';
import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { jsonReply } from '../../common/http/replies.js';
import { readQuery, ValidatesQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { filters } from '../../tasks/tasks.dto.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Metric } from './figure.js';
import { figureTable } from './figure-csv.js';
import { FigureQueryDto, ShownFigure } from './figure.dto.js';
import { FiguresService } from './figures.service.js';
import { metrics } from './metrics.js';

const ApiFigure = ({ summary, columns }: Metric): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary,
      description: `Of the tasks that the key sees. A point holds: ${columns.join(', ')}. \`definition\` says what exactly is counted. With \`Accept: text/csv\`, the same as a table.`,
    }),
    ApiQuery(filters),
    ApiQuery({ type: FigureQueryDto }),
    ApiProduces('application/json', 'text/csv'),
    ApiExtraModels(ShownFigure),
    ApiOkResponse({
      description: 'The figure.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(ShownFigure) } },
        'text/csv': { schema: { type: 'string' } },
      },
    }),
  );

interface AskedFigure {
  readonly query: URLSearchParams;
  readonly isTable: boolean;
}

const AskedFigure = createParamDecorator(
  (_: unknown, context: ExecutionContext): AskedFigure => {
    const request = context.switchToHttp().getRequest<Request>();
    return {
      query: readQuery(request.originalUrl),
      isTable: request.accepts(['json', 'text/csv']) === 'text/csv',
    };
  },
  [ValidatesQuery],
);

@Controller('api/v1/workflows/:workflow_id/metrics')
@ApiTags('Figures')
export class FiguresController {
  constructor(private readonly figures: FiguresService) {}

  @Get('clocks')
  @ApiFigure(metrics.clocks)
  readClocks(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.clocks, asked);
  }

  @Get('age')
  @ApiFigure(metrics.age)
  readAge(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.age, asked);
  }

  @Get('flow')
  @ApiFigure(metrics.flow)
  readFlow(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.flow, asked);
  }

  @Get('throughput')
  @ApiFigure(metrics.throughput)
  readThroughput(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.throughput, asked);
  }

  @Get('cycle_time')
  @ApiFigure(metrics.cycle_time)
  readCycleTime(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.cycle_time, asked);
  }

  @Get('time_in_stage')
  @ApiFigure(metrics.time_in_stage)
  readTimeInStage(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.time_in_stage, asked);
  }

  @Get('workload')
  @ApiFigure(metrics.workload)
  readWorkload(@CurrentScope() scope: Scope, @AskedFigure() asked: AskedFigure): Promise<Reply> {
    return this.answer(scope, metrics.workload, asked);
  }

  private async answer(scope: Scope, metric: Metric, { query, isTable }: AskedFigure): Promise<Reply> {
    const figure = await this.figures.read(scope, metric, query);
    if (!isTable) return jsonReply(JSON.stringify(figure));
    return figureTable(metric, figure);
  }
}
