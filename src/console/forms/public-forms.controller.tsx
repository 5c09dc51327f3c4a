import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { toJson } from '../../../packages/exact-json/json.js';
import { AsksService } from '../../actions/asks/asks.service.js';
import { type OutsideForm } from '../../actions/asks/form-answers.js';
import { FormsService } from '../../automation/forms/forms.service.js';
import { Refusal, TryAgain } from '../../common/errors.js';
import { type InvalidFields } from '../../common/field-errors.js';
import { type SharedRequest } from '../../common/http/share.guard.js';
import { Public } from '../../common/ops/health.controller.js';
import { readQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { type SentForm } from '../form-body.js';
import { answersIn } from '../parts/control.js';
import { faultsOfForm } from '../parts/notices.js';
import { anybody } from '../reader.js';
import { FormFilter } from './form.filter.js';
import {
  MARK,
  PublicFormPage,
  publicQuestions,
  publicReply,
  SentPage,
  type PublicForm,
  TRAP,
} from './form-page.js';
import { PublicPosts } from './public-posts.js';

const paths = ['f/:token', 'ask/:token'];

/**
 * Serves forms to people without an account: forms that create a task, and mailed forms for one task. Posts
 * need no cookie and no account, so a post from another site cannot abuse the rights of a user.
 */
@Controller()
@Public()
@ApiExcludeController()
@UseFilters(FormFilter)
export class PublicFormsController {
  constructor(
    private readonly forms: FormsService,
    private readonly asks: AsksService,
    private readonly posts: PublicPosts,
  ) {}

  /** Shows a form, with values from the query. Changes nothing, because mail scanners follow links. */
  @Get(paths)
  async form(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const shown = shownTo(request, await this.find(request, token));
    const { form, questions, way } = shown;
    const query = readQuery(request.originalUrl);
    const named = questions.filter(({ name }) => form.prefill?.includes(name) && query.has(name));
    // Programs make URLs with values, so numbers in URLs are written as in the API.
    const given = answersIn(query, named, { ...way, locale: 'en' });
    return pageOf({ ...shown, entered: new Map([...(form.held ?? []), ...given]) });
  }

  @Post(paths)
  async sendForm(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.posts.admit(request, token, () => this.find(request, token));
    const sent = await this.posts.read(request, found.workflow, publicQuestions(found));
    return this.answer(request, token, found, sent);
  }

  /**
   * Sends the answers of a post to the form that was found before the post was read. A form that was closed
   * or changed in the meantime still gets the answers. If its task has changed, finds the form again.
   */
  private async answer(
    request: SharedRequest,
    token: string,
    found: OutsideForm,
    sent: SentForm,
  ): Promise<Reply> {
    const { fields, files } = sent;
    const shown = shownTo(request, found);
    const { form, questions, way } = shown;
    const entered = answersIn(fields, questions, way);
    const values = new Map([...entered].map(([name, value]) => [name, toJson(value)]));
    const [mark, trap] = [fields.get(MARK) ?? '', fields.get(TRAP) ?? ''];
    try {
      const reference = await form.send({ mark, trap, values, files, deadline: request.deadline });
      return publicReply(<SentPage title={form.title} reference={reference} />, 200, form.embed);
    } catch (error) {
      if (error instanceof TryAgain)
        return this.answer(request, token, await this.find(request, token), sent);
      const [refusal, status] = refusalOf(error);
      return pageOf({ ...shown, entered, sent: { mark, files }, refusal }, status);
    }
  }

  private find({ path }: SharedRequest, token: string): Promise<OutsideForm> {
    return path.startsWith('/ask/') ? this.asks.find(token) : this.forms.find(token);
  }
}

/** Prepares a form for its page, with the time zone of the workflow and the region of the browser. */
function shownTo(request: SharedRequest, form: OutsideForm): PublicForm {
  const way = { timeZone: form.workflow.timezone, locale: anybody(request).locale };
  return { form, path: request.path, questions: publicQuestions(form), way, entered: new Map() };
}

const pageOf = (shown: PublicForm, status = 200): Reply =>
  publicReply(<PublicFormPage {...shown} />, status, shown.form.embed);

/** Returns the errors to show with the form, and the status. Rethrows other errors. */
function refusalOf(error: unknown): [refusal: InvalidFields['fields'], status: number] {
  if (error instanceof Refusal && error.kind === 'conflict')
    return [[['base', ['This form was sent already. To send another form, reload the page.']]], 409];
  const faults = faultsOfForm(error, ['too-many-requests']);
  return [faults, error instanceof Refusal ? 429 : 422];
}
