import { Controller, Delete, Get, HttpCode, Param, Post, UseGuards } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
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
  @ApiOperation({
    summary: 'List what a form holds in quarantine',
    description: 'Newest first, 100 at most. Posts are kept for 30 days.',
  })
  @ApiOkResponse({ description: 'The posts.', type: [ShownPost] })
  async listQuarantine(
    @CurrentScope() scope: Scope,
    @Param('form_id') formId: string,
  ): Promise<readonly ShownPost[]> {
    return this.forms.quarantined(scope, formId);
  }

  @Post(':post_id/accept')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Accept a post in quarantine',
    description:
      'Creates its task by the form as it is now, beyond `per_day`; once, however often it is accepted. What the form would refuse is 422, and stays in quarantine.',
  })
  @ApiNoContentResponse({ description: 'The task was created.' })
  async acceptPost(
    @CurrentScope() scope: Scope,
    @Param('form_id') formId: string,
    @Param('post_id') postId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<void> {
    await this.forms.accept(scope, formId, postId, key);
  }

  @Delete(':post_id')
  @HttpCode(204)
  @ApiOperation({
    summary: 'Discard a post in quarantine',
    description: 'It is deleted, and creates no task.',
  })
  @ApiNoContentResponse({ description: 'The post was deleted.' })
  async discardPost(
    @CurrentScope() scope: Scope,
    @Param('form_id') formId: string,
    @Param('post_id') postId: string,
  ): Promise<void> {
    await this.forms.discard(scope, formId, postId);
  }
}
