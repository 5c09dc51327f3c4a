import { Controller, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentScope } from '../../workflows/model/current.decorators.js';
import { AdminGuard } from '../../common/request.js';
import { IdempotencyKey } from '../../common/http/idempotency.js';
import { type Scope } from '../../workflows/model/scope.js';
import { FormsService } from './forms.service.js';
import { ShownPost } from './shown-forms.js';

@Controller('api/v1/workflows/:workflow_id/forms/:form_id/quarantine')
@UseGuards(AdminGuard)
@ApiTags('Forms')
export class QuarantineController {
  constructor(private readonly forms: FormsService) {}

  @Get()
  @ApiOperation({ summary: 'List the posts in a form’s quarantine' })
  @ApiOkResponse({ type: [ShownPost] })
  async listQuarantine(
    @CurrentScope() scope: Scope,
    @Param('form_id') formId: string,
  ): Promise<readonly ShownPost[]> {
    return this.forms.quarantined(scope, formId);
  }

  @Post(':post_id/accept')
  @HttpCode(204)
  @ApiOperation({ summary: 'Create the task of a post in quarantine' })
  async acceptPost(
    @CurrentScope() scope: Scope,
    @Param('form_id') formId: string,
    @Param('post_id') postId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.forms.accept(scope, formId, postId, key);
  }
}
