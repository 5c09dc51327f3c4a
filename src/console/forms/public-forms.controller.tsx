import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { toJson } from '../../../packages/exact-json/json.js';
import { AsksService } from '../../actions/asks/asks.service.js';
import { type OutsideForm } from '../../actions/asks/form-answers.js';
import { FormsService } from '../../automation/forms/forms.service.js';
import { Refusal } from '../../common/errors.js';
import { type InvalidFields } from '../../common/field-errors.js';
import { type SharedRequest } from '../../common/http/share.guard.js';
import { Public } from '../../common/ops/health.controller.js';
import { readQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { answersIn } from '../parts/control.js';
import { faultsOfForm } from '../parts/notices.js';
import { FormFilter } from './form.filter.js';
import {
  MARK,
  PublicFormPage,
  publicQuestions,
  publicReply,
  publicWay,
  SentPage,
  TRAP,
} from './form-page.js';
import { PublicPosts } from './public-posts.js';

const paths = ['f/:token', 'ask/:token'];

/**
 * The forms for people outside: those that create a task, and those for one task that people get by mail. They use
 * neither a cookie nor an account, so another site could abuse no rights, and a form may come from anywhere.
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

  /** Shows the form and changes nothing, because mail scanners follow links. */
  @Get(paths)
  async form(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    return show(request, await this.find(request, token));
  }

  @Post(paths)
  async sendForm(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    return this.send(request, await this.posts.admit(request, token, () => this.find(request, token)));
  }

  private find({ path }: SharedRequest, token: string): Promise<OutsideForm> {
    return path.startsWith('/ask/') ? this.asks.find(token) : this.forms.find(token);
  }

  private async send(request: SharedRequest, form: OutsideForm): Promise<Reply> {
    const questions = publicQuestions(form);
    const { fields, files } = await this.posts.read(request, form.workflow, questions);
    const entered = answersIn(fields, questions, publicWay(request, form));
    const sent = fields.get(MARK) ?? '';
    const post = { mark: sent, trap: fields.get(TRAP) ?? '', deadline: request.deadline };
    try {
      const values = new Map([...entered].map(([name, value]) => [name, toJson(value)]));
      const reference = await form.send({ ...post, values, files });
      return publicReply(<SentPage title={form.title} reference={reference} />, 200, form.embed);
    } catch (error) {
      return showAgain(error, request, form, { entered, sent });
    }
  }
}

/** The form as it is opened. Its address may fill in the fields that the definition allows. */
function show(request: SharedRequest, form: OutsideForm): Reply {
  const query = readQuery(request.originalUrl);
  const named = publicQuestions(form).filter(({ name }) => form.prefill?.includes(name) && query.has(name));
  // Programs make such addresses, so numbers are written as in the API.
  const given = answersIn(query, named, { ...publicWay(request, form), locale: 'en' });
  return pageOf(request, form, { entered: new Map([...(form.held ?? []), ...given]) });
}

/** Shows a form again that was refused, if its sender can do something about it. */
function showAgain(error: unknown, request: SharedRequest, form: OutsideForm, filled: Filled): Reply {
  const isUsed = error instanceof Refusal && error.kind === 'conflict';
  const refusal: InvalidFields['fields'] = isUsed
    ? [['base', ['This form was sent already. To send another, open its page anew.']]]
    : faultsOfForm(error, ['too-many-requests']);
  const status = isUsed ? 409 : error instanceof Refusal ? 429 : 422;
  return pageOf(request, form, { ...filled, refusal }, status);
}

type Filled = Pick<Parameters<typeof PublicFormPage>[0], 'entered' | 'sent' | 'refusal'>;

function pageOf(request: SharedRequest, form: OutsideForm, filled: Filled, status = 200): Reply {
  const about = { form, path: request.path, way: publicWay(request, form) };
  return publicReply(<PublicFormPage {...about} {...filled} />, status, form.embed);
}
