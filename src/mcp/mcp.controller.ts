import {
  type AccessRequest,
  ForCreators,
  ReadsByPost,
  CurrentPrincipal,
  type Principal,
} from '../common/request.js';
import {
  Controller,
  Inject,
  Post,
  Req,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
  Injectable,
} from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { scopeIn } from '../access/guards.js';
import { CONFIG, type Config } from '../config.js';
import { JsonPayload } from '../common/http/read-body.js';
import { type Reply } from '../common/reply.js';
import { ErrorFilter } from '../common/ops/error.filter.js';
import { type JsonObject } from '../../packages/exact-json/json.js';
import { Workspaces } from '../workflows/model/workspaces.js';
import { McpServices, type Call } from './tool.js';
import { type Request } from 'express';
import { Refusal } from '../common/errors.js';
import { ownOrigin } from '../common/public-address.js';

/**
 * Refuses requests from pages of other origins. Browsers send the true origin even if the page's host name
 * resolves to this machine (DNS rebinding).
 */
@Injectable()
export class OwnOriginGuard implements CanActivate {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<Request>();
    const { origin } = request.headers;
    const { publicUrl } = this.config;
    const ours = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
    if (origin === undefined || [ours, ownOrigin(request)?.toLowerCase()].includes(origin)) return true;
    throw new Refusal('forbidden', 'Pages of this origin cannot use the service.');
  }
}

/** Answers messages by POST only, because there are no sessions to GET or DELETE. */
@ApiExcludeController()
@UseGuards(OwnOriginGuard)
@Controller('mcp')
export class McpController {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly workspaces: Workspaces,
    private readonly services: McpServices,
    private readonly filter: ErrorFilter,
  ) {}

  @Post()
  @ReadsByPost()
  @ForCreators()
  async answer(
    @Req() request: AccessRequest,
    @CurrentPrincipal() principal: Principal,
    @JsonPayload() message: JsonObject,
  ): Promise<Reply> {
    // Loads the SDK on demand, because most installations have no agents.
    const { answerMessage } = await import('./answer-message.js');
    const call = this.callOf(request, principal);
    return answerMessage(message, { request, call, use: this.config.mcp, filter: this.filter });
  }

  private callOf(request: AccessRequest, principal: Principal): Call {
    const { services, workspaces } = this;
    return {
      services,
      principal,
      workspace: () => workspaces.get(principal.workspaceId),
      scope: async (slug) => {
        const workflow = await workspaces.workflow(principal.workspaceId, slug, principal);
        return (request.scope = scopeIn(workflow, request, 'mcp'));
      },
    };
  }
}
