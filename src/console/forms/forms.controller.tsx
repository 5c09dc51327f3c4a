import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { type SharedRequest } from '../../common/http/share.guard.js';
import { FormsService, type OpenForm } from '../../automation/forms/forms.service.js';
import { newMark, renewedMark } from '../../automation/forms/reference.js';
import { Refusal } from '../../common/errors.js';
import { InvalidFields } from '../../common/field-errors.js';
import { type Message } from '../../common/message.js';
import { Public } from '../../common/ops/health.controller.js';
import { readQuery } from '../../common/ops/query.js';
import { type Reply } from '../../common/reply.js';
import { type Output } from '../../workflows/fields/field-type.js';
import {
  jsonValues,
  MARK,
  PublicFormPage,
  publicQuestions,
  publicReply,
  publicWay,
  SentPage,
  TRAP,
} from './form-page.js';
import { answersIn } from '../parts/control.js';
import { FormFilter } from './form.filter.js';
import { PublicPosts } from './public-posts.js';

/**
 * The forms for people outside. They use neither a cookie nor an account, so another site could abuse no rights, and a
 * form may come from anywhere.
 */
@Controller('f/:token')
@Public()
@ApiExcludeController()
@UseFilters(FormFilter)
export class FormsController {
  constructor(
    private readonly forms: FormsService,
    private readonly posts: PublicPosts,
  ) {}

  /** The form. Its address may fill in the fields that the definition allows. */
  @Get()
  async page(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.forms.find(token);
    const query = readQuery(request.originalUrl);
    const { prefill = [] } = found.form;
    const named = questionsIn(found).filter(({ name }) => prefill.includes(name) && query.has(name));
    // Programs make such addresses, so numbers are written as in the API.
    const entered = answersIn(query, named, { ...publicWay(request, found.workflow), locale: 'en' });
    return show(request, found, { entered, mark: newMark(found.workflow, found.form.id) });
  }

  @Post()
  async send(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.posts.admit(request, token, (end) => this.forms.find(end));
    const questions = questionsIn(found);
    const { fields, files } = await this.posts.read(request, found.key, questions);
    const mark = fields.get(MARK) ?? '';
    const entered = answersIn(fields, questions, publicWay(request, found.workflow));
    const sent = {
      values: jsonValues(entered),
      files,
      mark,
      trap: fields.get(TRAP) ?? '',
      deadline: request.deadline,
    };
    try {
      const reference = await this.forms.send(found, sent);
      return publicReply(<SentPage title={found.form.title} reference={reference} />, 200, found.form.embed);
    } catch (error) {
      const [status, refusal] = refusalIn(error);
      const again = renewedMark(found.workflow, found.form.id, mark);
      return show(request, found, { entered, mark: again, refusal }, status);
    }
  }
}

const questionsIn = ({ workflow, form }: OpenForm) => publicQuestions(workflow, form.fields);

interface FilledForm {
  readonly entered: ReadonlyMap<string, Output>;
  readonly mark: string;
  readonly refusal?: ReadonlyMap<string, readonly Message[]>;
}

function show(request: SharedRequest, found: OpenForm, filled: FilledForm, status = 200): Reply {
  const { form } = found;
  const about = { title: form.title, path: request.path, questions: questionsIn(found), way: publicWay(request, found.workflow) }; // prettier-ignore
  return publicReply(<PublicFormPage {...about} {...filled} />, status, form.embed);
}

/** Why a form was refused, if its sender can do something about it. */
function refusalIn(error: unknown): [status: number, messages: ReadonlyMap<string, readonly Message[]>] {
  if (error instanceof InvalidFields) return [422, new Map(error.fields)];
  if (error instanceof Refusal && error.kind === 'too-many-requests')
    return [429, new Map([['base', [error.said]]])];
  if (error instanceof Refusal && error.kind === 'conflict') return [409, new Map([['base', [sentAlready]]])];
  throw error;
}

const sentAlready = 'This form was sent already. To send another, open its page anew.';
