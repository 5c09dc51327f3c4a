import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Post,
  UseGuards,
} from '@nestjs/common';
import { type AccessRequest, ReadsByPost } from '../auth/api-key.guard.js';
import { CurrentRequester, CurrentWorkspace } from '../auth/current.decorators.js';
import { AdminGuard } from '../auth/guards.js';
import { type Requester } from '../database/sql.js';
import { notFound } from '../lib/errors.js';
import { Parameters } from '../http/query.decorator.js';
import { isKnown } from '../http/etag.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { YamlDocument, type SentDocument, yamlType } from '../http/read-body.js';
import { jsonReply } from '../http/replies.js';
import { Reply } from '../lib/reply.js';
import { type Workspace } from '../workspace/workspace.js';
import { type JsonMapping } from '../workspace/definition-reader.js';
import { ChangeQuery, HistoryQuery, RollbackQuery } from './definition.dto.js';
import { type AskedChange, DefinitionsService, tagOf } from './definitions.service.js';
import { type ShownPlan } from './show-plan.js';
import { shownVersion } from './store/history.js';
import { renderYaml } from './source/write-yaml.js';

/** The parts that all requests of this controller share: the requester, the request id and the expected versions. */
type CurrentAsked = Pick<AskedChange, 'requester' | 'requestId' | 'tags'>;

const CurrentRequest = createParamDecorator((_: unknown, context: ExecutionContext): CurrentAsked => {
  const { principal, deadline, headers, res } = context.switchToHttp().getRequest<AccessRequest>();
  if (!principal) throw notFound();
  const { workspaceId, keyId } = principal;
  const { 'if-match': tags = '*' } = headers;
  return {
    requester: { workspaceId, keyId, deadline },
    requestId: String(res?.getHeader('X-Request-Id')),
    tags: tags.trim() === '*' ? undefined : tags.split(',').map((tag) => tag.trim()),
  };
});

/** The whole definition of a workspace: the requests of `wts export`, `plan`, `apply`, `history` and `rollback`. */
// AdminGuard tells keys without the scope `admin` which scope they need.
@Controller('api/v1/definition')
@UseGuards(AdminGuard)
export class WholeDefinitionController {
  constructor(private readonly definitions: DefinitionsService) {}

  @Get()
  async read(@CurrentRequester() requester: Requester): Promise<Reply> {
    return definitionReply(await this.definitions.read(requester));
  }

  @Get('history')
  async history(
    @CurrentRequester() requester: Requester,
    @Parameters(HistoryQuery) query: HistoryQuery,
  ): Promise<readonly object[]> {
    return (await this.definitions.history(requester, query)).map(shownVersion);
  }

  @Post('plan')
  @HttpCode(200)
  @ReadsByPost()
  async plan(
    @CurrentRequest() asked: CurrentAsked,
    @CurrentWorkspace() workspace: Workspace,
    @YamlDocument(ChangeQuery) sent: SentDocument<ChangeQuery>,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return planReply(await this.definitions.plan({ ...asked, workspace, ...sent, key }));
  }

  @Post('apply')
  @HttpCode(200)
  @ReadsByPost()
  async apply(
    @CurrentRequest() asked: CurrentAsked,
    @CurrentWorkspace() workspace: Workspace,
    @YamlDocument(ChangeQuery) sent: SentDocument<ChangeQuery>,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return planReply(await this.definitions.apply({ ...asked, workspace, ...sent, key }));
  }

  @Post('rollback')
  @HttpCode(200)
  @ReadsByPost()
  async rollback(
    @CurrentRequest() asked: CurrentAsked,
    @CurrentWorkspace() workspace: Workspace,
    @Parameters(RollbackQuery) query: RollbackQuery,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return planReply(await this.definitions.rollback({ ...asked, workspace, query, key }));
  }
}

function planReply(plan: ShownPlan): Reply {
  return jsonReply(JSON.stringify(plan), { headers: { ETag: tagOf(plan) } });
}

/** Returns a definition as JSON or YAML, whichever the request prefers. */
function definitionReply({ version, document }: { version: number; document: JsonMapping }): Reply {
  return new Reply((response) => {
    const { req } = response.vary('Accept').set('ETag', tagOf({ version }));
    if (isKnown(req.headers['if-none-match'], tagOf({ version }))) return void response.status(304).end();
    const isYaml = req.accepts([jsonType, yamlType]) === yamlType;
    response.set('Content-Type', `${isYaml ? yamlType : jsonType}; charset=utf-8`);
    response.end(isYaml ? renderYaml(document) : JSON.stringify(document));
  });
}

const jsonType = 'application/json';
