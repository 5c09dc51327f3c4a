import { AdminGuard } from '../../common/request.js';
import { capitalized } from '../../common/wording.js';
import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { Controller, Get, HttpCode, Param, Post, type Type, UseGuards } from '@nestjs/common';
import { ApiAcceptedResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { RunsQuery, ShownRun } from '../../executions/runs/run.dto.js';
import { RunsService } from '../../executions/runs/runs.service.js';
import { IdempotencyKey } from '../../common/http/idempotency.js';
import { Address, type RequestAddress } from '../../common/http/paged-list.js';
import { Parameters } from '../../common/http/query.decorator.js';
import { listReply } from '../../common/http/replies.js';
import { type Reply } from '../../common/reply.js';
import { type Scope } from '../../workflows/model/scope.js';
import { type Identified, type KindOperation, type ShownKind } from '../../workflows/model/shown-kind.js';
import { KindsService, specOf } from './kinds.service.js';

/** The routes of a kind: its list, one element, each operation and, if `runs` is set, an element's runs. */
export function routesOf(kind: ShownKind): Type[] {
  return [
    listRoutes(kind),
    ...(kind.runs === undefined ? [] : [runsRoute(kind, kind.runs)]),
    ...Object.entries(kind.operations).map(([verb, operation]) => operationRoute(kind, verb, operation)),
  ];
}

function listRoutes(kind: ShownKind): Type {
  const { name, list, shown } = kind;

  @Controller(pathOf(kind))
  @UseGuards(...(kind.isForAdmin ? [AdminGuard] : []))
  @ApiTags(capitalized(list))
  class ListRoutes {
    constructor(private readonly kinds: KindsService) {}

    @Get()
    @ApiOperation({ operationId: `list${capitalized(list)}`, summary: `List the ${list} of a workflow` })
    @ApiOkResponse({ type: [shown] })
    async list(@CurrentScope() scope: Scope): Promise<readonly Identified[]> {
      return this.kinds.list(scope, kind);
    }

    @Get(`:${idOf(kind)}`)
    @ApiOperation({ operationId: `read${capitalized(name)}`, summary: `Read a ${name}` })
    @ApiOkResponse({ type: shown })
    async read(@CurrentScope() scope: Scope, @Param(idOf(kind)) id: string): Promise<Identified> {
      return this.kinds.read(scope, kind, id);
    }
  }
  return ListRoutes;
}

function runsRoute(kind: ShownKind, description: string): Type {
  const { name, list } = kind;

  @Controller(`${pathOf(kind)}/:${idOf(kind)}/runs`)
  @ApiTags(capitalized(list))
  class RunsRoute {
    constructor(private readonly runs: RunsService) {}

    @Get()
    @ApiOperation({
      operationId: `listRunsOf${capitalized(name)}`,
      summary: `List the runs of a ${name}, newest first`,
      description,
    })
    @ApiOkResponse({ type: [ShownRun] })
    async list(
      @CurrentScope() scope: Scope,
      @Param(idOf(kind)) id: string,
      @Parameters(RunsQuery) query: RunsQuery,
      @Address() address: RequestAddress,
    ): Promise<Reply> {
      specOf(scope, kind, id);
      return listReply(await this.runs.listOfStarter(scope, name, id, query, address));
    }
  }
  return RunsRoute;
}

function operationRoute(kind: ShownKind, verb: string, operation: KindOperation): Type {
  const { title, description, later } = operation;

  @Controller(`${pathOf(kind)}/:${idOf(kind)}/${verb}`)
  @ApiTags(capitalized(kind.list))
  class OperationRoute {
    constructor(private readonly kinds: KindsService) {}

    @Post()
    @HttpCode(later === undefined ? 200 : 202)
    @UseGuards(AdminGuard)
    @ApiOperation({ operationId: `${verb}${capitalized(kind.name)}`, summary: title, description })
    @(later === undefined ? ApiOkResponse({ type: kind.shown }) : ApiAcceptedResponse({ description: later }))
    async operate(
      @CurrentScope() scope: Scope,
      @Param(idOf(kind)) id: string,
      @IdempotencyKey() key: string | undefined,
    ): Promise<Identified | undefined> {
      return this.kinds.operate(scope, kind, { verb, id, key });
    }
  }
  return OperationRoute;
}

const pathOf = ({ list }: ShownKind): string => `api/v1/workflows/:workflow_id/${list}`;

const idOf = ({ name }: ShownKind): string => `${name}_id`;
