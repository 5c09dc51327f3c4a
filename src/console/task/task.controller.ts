import { createParamDecorator, type ExecutionContext, Get, Param, Post } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { readQuery, ValidatesQuery } from '../../ops/query.js';
import { Pages, readerOf } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { type PageRequest } from '../reader.js';
import { TaskForms } from './task-forms.js';
import { type TaskPagePlace, TaskPages } from './task-pages.js';

/** Which task is asked for, and by whom. */
const CurrentPlace = createParamDecorator((_: unknown, context: ExecutionContext): TaskPagePlace => {
  const request = context.switchToHttp().getRequest<PageRequest>();
  const { workflow, task } = request.params;
  return { to: readerOf(request), request, slug: String(workflow), publicId: String(task) };
});

/** The page behind a Task URL, and the forms on it. */
@Pages('workflows/:workflow/tasks/:task')
export class TaskController {
  constructor(
    private readonly pages: TaskPages,
    private readonly forms: TaskForms,
  ) {}

  @Get()
  async page(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.pages.show(place);
  }

  @Post()
  async change(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.forms.change(place, form);
  }

  @Post('delete')
  async delete(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.forms.delete(place, form);
  }

  @Post('actions/:action')
  async act(@CurrentPlace() place: TaskPagePlace, @Param('action') action: string): Promise<Reply> {
    return this.forms.act(place, action);
  }

  @Post('comments')
  async comment(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.forms.comment(place, form);
  }

  @Get('comments')
  @ValidatesQuery()
  async olderComments(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.pages.olderComments(place, beforeIn(place));
  }

  @Get('history')
  @ValidatesQuery()
  async olderHistory(@CurrentPlace() place: TaskPagePlace): Promise<Reply> {
    return this.pages.olderHistory(place, beforeIn(place));
  }

  @Get('texts/:text')
  async text(@CurrentPlace() place: TaskPagePlace, @Param('text') name: string): Promise<Reply> {
    return this.pages.text(place, name);
  }

  @Post('checklist')
  async addItem(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.forms.addItem(place, form);
  }

  @Post('checklist/:item')
  async changeItem(
    @CurrentPlace() place: TaskPagePlace,
    @Param('item') item: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.changeItem(place, item, form);
  }

  @Post('checklist/:item/remove')
  async removeItem(@CurrentPlace() place: TaskPagePlace, @Param('item') item: string): Promise<Reply> {
    return this.forms.removeItem(place, item);
  }

  @Post('links/:relationship')
  async link(
    @CurrentPlace() place: TaskPagePlace,
    @Param('relationship') relationship: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.link(place, relationship, form);
  }

  @Get('links/:relationship')
  @ValidatesQuery()
  async linkable(
    @CurrentPlace() place: TaskPagePlace,
    @Param('relationship') relationship: string,
  ): Promise<Reply> {
    const words = readQuery(place.request.originalUrl).get('q') ?? '';
    return this.pages.linkable(place, relationship, words.trim());
  }

  @Post('links/:relationship/remove')
  async unlink(
    @CurrentPlace() place: TaskPagePlace,
    @Param('relationship') relationship: string,
    @FormBody() form: URLSearchParams,
  ): Promise<Reply> {
    return this.forms.unlink(place, relationship, form);
  }

  @Post('files/:field')
  async upload(@CurrentPlace() place: TaskPagePlace, @Param('field') field: string): Promise<Reply> {
    return this.forms.upload(place, field);
  }

  @Post('files/:field/:blob/remove')
  async removeFile(
    @CurrentPlace() place: TaskPagePlace,
    @Param('field') field: string,
    @Param('blob') blob: string,
  ): Promise<Reply> {
    return this.forms.removeFile(place, field, blob);
  }

  @Get('files/:field/:blob')
  async download(@CurrentPlace() place: TaskPagePlace, @Param('blob') blob: string): Promise<Reply> {
    return this.pages.file(place, blob);
  }
}

/** What an address asks for older things than. */
const beforeIn = ({ request }: TaskPagePlace): string => readQuery(request.originalUrl).get('before') ?? '';
