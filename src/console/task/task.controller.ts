import { Get, Param, Post, Req } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { readQuery, ValidatesQuery } from '../../ops/query.js';
import { CurrentReader, Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { type PageRequest, type SignedIn } from '../reader.js';
import { TaskForms } from './task-forms.js';
import { type Place, TaskPages } from './task-pages.js';

/** The page behind a Task URL, and the forms on it. */
@Pages('workflows/:workflow/tasks/:task')
export class TaskController {
  constructor(
    private readonly pages: TaskPages,
    private readonly forms: TaskForms,
  ) {}

  @Get()
  async page(@CurrentReader() to: SignedIn, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.show(placeIn(to, request));
  }

  @Post()
  async change(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.change(placeIn(to, request), form);
  }

  @Post('actions/:action')
  async act(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('action') action: string,
  ): Promise<Reply> {
    return this.forms.act(placeIn(to, request), action);
  }

  @Post('comments')
  async comment(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.comment(placeIn(to, request), form);
  }

  @Get('comments')
  @ValidatesQuery()
  async olderComments(@CurrentReader() to: SignedIn, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.olderComments(placeIn(to, request), beforeIn(request));
  }

  @Get('history')
  @ValidatesQuery()
  async olderHistory(@CurrentReader() to: SignedIn, @Req() request: PageRequest): Promise<Reply> {
    return this.pages.olderHistory(placeIn(to, request), beforeIn(request));
  }

  @Get('texts/:text')
  async text(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('text') name: string,
  ): Promise<Reply> {
    return this.pages.text(placeIn(to, request), name);
  }

  @Post('checklist')
  async addItem(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.addItem(placeIn(to, request), form);
  }

  @Post('checklist/:item')
  async changeItem(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('item') item: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.changeItem(placeIn(to, request), item, form);
  }

  @Post('checklist/:item/remove')
  async removeItem(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('item') item: string,
  ): Promise<Reply> {
    return this.forms.removeItem(placeIn(to, request), item);
  }

  @Post('links/:relationship')
  async link(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('relationship') relationship: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.link(placeIn(to, request), relationship, form);
  }

  @Get('links/:relationship')
  @ValidatesQuery()
  async linkable(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('relationship') relationship: string,
  ): Promise<Reply> {
    const words = readQuery(request.originalUrl).get('q') ?? '';
    return this.pages.linkable(placeIn(to, request), relationship, words.trim());
  }

  @Post('links/:relationship/remove')
  async unlink(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('relationship') relationship: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.unlink(placeIn(to, request), relationship, form);
  }

  @Post('files/:field')
  async upload(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('field') field: string,
  ): Promise<Reply> {
    return this.forms.upload(placeIn(to, request), field);
  }

  @Post('files/:field/:blob/remove')
  async removeFile(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('field') field: string,
    @Param('blob') blob: string,
  ): Promise<Reply> {
    return this.forms.removeFile(placeIn(to, request), field, blob);
  }

  @Get('files/:field/:blob')
  async download(
    @CurrentReader() to: SignedIn,
    @Req() request: PageRequest,
    @Param('blob') blob: string,
  ): Promise<Reply> {
    return this.pages.file(placeIn(to, request), blob);
  }
}

/** What an address asks for older things than. */
const beforeIn = ({ originalUrl }: PageRequest): string => readQuery(originalUrl).get('before') ?? '';

/** Who asks for which task. */
function placeIn(to: SignedIn, request: PageRequest): Place {
  return { to, request, slug: String(request.params['workflow']), publicId: String(request.params['task']) };
}
