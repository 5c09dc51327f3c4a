import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Post,
  UseGuards,
} from '@nestjs/common';
import { type Request } from 'express';
import { CurrentRequester, CurrentWorkspace } from '../auth/current.decorators.js';
import { AdminGuard } from '../auth/guards.js';
import { type Requester } from '../database/sql.js';
import { isKnown } from '../http/etag.js';
import { IdempotencyKey } from '../http/idempotency.js';
import { YamlDocument, type SentDocument, yamlType } from '../http/read-body.js';
import { jsonReply } from '../http/replies.js';
import { Reply } from '../lib/reply.js';
import { type Workspace } from '../workspace/workspace.js';
import { type JsonMapping } from '../workspace/definition-reader.js';
import { ChangeQuery } from './definition.dto.js';
import { DefinitionsService, tagOf } from './definitions.service.js';
import { type ShownPlan } from './show-plan.js';
import { renderYaml } from './source/write-yaml.js';

/** The entity tags that `If-Match` names; undefined where it names none, or any will do. */
const MatchedTags = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const { 'if-match': tags = '*' } = context.switchToHttp().getRequest<Request>().headers;
  return tags.trim() === '*' ? undefined : tags.split(',').map((tag) => tag.trim());
});

/** The definition of a workspace as a whole: what `wts export`, `wts plan` and `wts apply` do. */
@Controller('api/v1/definition')
@UseGuards(AdminGuard)
export class WholeDefinitionController {
  constructor(private readonly definitions: DefinitionsService) {}

  @Get()
  async read(@CurrentRequester() requester: Requester): Promise<Reply> {
    return definitionReply(await this.definitions.read(requester));
  }

  @Post('plan')
  @HttpCode(200)
  async plan(
    @CurrentRequester() requester: Requester,
    @CurrentWorkspace() workspace: Workspace,
    @YamlDocument(ChangeQuery) sent: SentDocument<ChangeQuery>,
    @MatchedTags() tags: readonly string[] | undefined,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return planReply(await this.definitions.plan({ requester, workspace, ...sent, tags, key }));
  }

  @Post('apply')
  @HttpCode(200)
  async apply(
    @CurrentRequester() requester: Requester,
    @CurrentWorkspace() workspace: Workspace,
    @YamlDocument(ChangeQuery) sent: SentDocument<ChangeQuery>,
    @MatchedTags() tags: readonly string[] | undefined,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return planReply(await this.definitions.apply({ requester, workspace, ...sent, tags, key }));
  }
}

function planReply(plan: ShownPlan): Reply {
  return jsonReply(JSON.stringify(plan), { headers: { ETag: tagOf(plan) } });
}

/** Answers with a definition in the type that the request would rather have: JSON, or YAML as people write it. */
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
