import { CurrentWorkspace, CurrentRequester } from '../model/current.decorators.js';
import { type AccessRequest, ReadsByPost, AdminGuard } from '../../common/request.js';
import {
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Get,
  HttpCode,
  Post,
  UseGuards,
} from '@nestjs/common';
import {
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
  ApiUnprocessableEntityResponse,
} from '@nestjs/swagger';
import { ref, textSchema } from '../../common/openapi/vocabulary.js';
import { ApiTagged, describing } from '../../common/openapi/answers.js';
import { type Requester } from '../../common/database/sql.js';
import { notFound } from '../../common/errors.js';
import { Parameters } from '../../common/http/query.decorator.js';
import { isKnown, jsonReply } from '../../common/http/replies.js';
import { IdempotencyKey } from '../../common/http/idempotency.js';
import { YamlDocument, type SentDocument, yamlType } from '../../common/http/read-body.js';
import { type Reply } from '../../common/reply.js';
import { type Workspace } from '../model/workspace.js';
import { type JsonMapping } from '../model/definition-reader.js';
import { ChangeQuery, HistoryQuery, RollbackQuery } from './definition.dto.js';
import { type AskedChange, DefinitionsService, tagOf } from './definitions.service.js';
import { RefusedDefinition, ShownPlan, ShownVersion, shownVersion } from './plan.dto.js';
import { renderYaml } from './source/write-yaml.js';

/**
 * What every change takes from the HTTP request: who asks, the id of the request, and the versions that
 * `If-Match` allows.
 */
type CurrentAsked = Pick<AskedChange, 'requester' | 'keyName' | 'requestId' | 'tags'>;

const CurrentRequest = createParamDecorator(
  (_: unknown, context: ExecutionContext): CurrentAsked => {
    const { principal, deadline, headers, res } = context.switchToHttp().getRequest<AccessRequest>();
    if (!principal) throw notFound();
    const { workspaceId, keyId, name } = principal;
    const { 'if-match': tags = '*' } = headers;
    return {
      requester: { workspaceId, keyId, deadline },
      keyName: name,
      requestId: String(res?.getHeader('X-Request-Id')),
      tags:
        tags.trim() === '*'
          ? undefined
          : tags.split(',').map((tag) => tag.trim().replace(/^(?:W\/)?"?(\d+)"?$/, '"$1"')),
    };
  },
  [
    describing(
      ApiHeader({
        name: 'If-Match',
        description: 'An `ETag` of the definition. If another version is in force, the answer is 412.',
      }),
    ),
  ],
);

const inJsonOrYaml = (inYaml: string) => ({
  'application/json': { schema: ref('DefinitionDocument') },
  'application/yaml': { schema: textSchema(inYaml) },
});

const sentDocument = {
  required: true,
  content: inJsonOrYaml('The document in YAML 1.2, of at most 200,000 characters.'),
};

const refusedDefinition = { description: 'Refused: nothing was changed.', type: RefusedDefinition };

/** Exports, plans, applies and rolls back the whole definition of a workspace, and lists its versions. */
@Controller('api/v1/definition')
@UseGuards(AdminGuard)
@ApiTags('Definition')
export class WholeDefinitionController {
  constructor(private readonly definitions: DefinitionsService) {}

  @Get()
  @ApiOperation({ summary: 'Read the whole definition, in YAML if `Accept` prefers it' })
  @ApiTagged({ content: inJsonOrYaml('The document in YAML 1.2.') })
  async readDefinition(@CurrentRequester() requester: Requester): Promise<Reply> {
    return definitionReply(await this.definitions.read(requester));
  }

  @Get('history')
  @ApiOperation({ summary: 'List versions of the definition, newest first, 20 at most' })
  @ApiOkResponse({ type: [ShownVersion] })
  async listDefinitionVersions(
    @CurrentRequester() requester: Requester,
    @Parameters(HistoryQuery) query: HistoryQuery,
  ): Promise<ShownVersion[]> {
    return (await this.definitions.history(requester, query)).map(shownVersion);
  }

  @Post('plan')
  @HttpCode(200)
  @ReadsByPost()
  @ApiOperation({
    summary: 'Show what applying a definition would do; nothing is stored',
    requestBody: sentDocument,
  })
  @ApiQuery({ type: ChangeQuery })
  @ApiOkResponse({ type: ShownPlan })
  @ApiUnprocessableEntityResponse(refusedDefinition)
  async planDefinition(
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
  @ApiOperation({ summary: 'Apply a definition: all of it, or nothing', requestBody: sentDocument })
  @ApiQuery({ type: ChangeQuery })
  @ApiOkResponse({ type: ShownPlan })
  @ApiUnprocessableEntityResponse(refusedDefinition)
  async applyDefinition(
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
  @ApiOperation({ summary: 'Apply an earlier version of the definition as a new one' })
  @ApiOkResponse({ type: ShownPlan })
  @ApiUnprocessableEntityResponse(refusedDefinition)
  async rollbackDefinition(
    @CurrentRequest() asked: CurrentAsked,
    @CurrentWorkspace() workspace: Workspace,
    @Parameters(RollbackQuery) query: RollbackQuery,
    @IdempotencyKey() key: string | undefined,
  ): Promise<Reply> {
    return planReply(await this.definitions.rollback({ ...asked, workspace, query, key }));
  }
}

function planReply(plan: ShownPlan): Reply {
  return jsonReply(JSON.stringify(plan), { headers: { ETag: tagOf(plan.version) } });
}

/** Sends a definition as YAML if `Accept` prefers YAML, and otherwise as JSON. */
function definitionReply({ version, document }: { version: number; document: JsonMapping }): Reply {
  return (response) => {
    const { req } = response.vary('Accept').set('ETag', tagOf(version));
    if (isKnown(req.headers['if-none-match'], tagOf(version))) return void response.status(304).end();
    const isYaml = req.accepts([jsonType, yamlType]) === yamlType;
    response.set('Content-Type', `${isYaml ? yamlType : jsonType}; charset=utf-8`);
    response.end(isYaml ? renderYaml(document) : JSON.stringify(document));
  };
}

const jsonType = 'application/json';
