import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AsksService, type OpenAsk, stateOfAsk, valueHeld } from '../../actions/asks/asks.service.js';
import { FormsService, type OpenForm } from '../../automation/forms/forms.service.js';
import { newMark, renewedMark } from '../../automation/forms/reference.js';
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
  jsonValues,
  MARK,
  PublicFormPage,
  publicQuestions,
  publicReply,
  publicWay,
  SentPage,
  type PublicForm,
  SHOWN,
  TRAP,
} from './form-page.js';
import { PublicPosts } from './public-posts.js';

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

  /** The form. Its address may fill in the fields that the definition allows. */
  @Get('f/:token')
  async form(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.forms.find(token);
    const { workflow, form } = found;
    const query = readQuery(request.originalUrl);
    const named = publicQuestions(workflow, form.fields).filter(
      ({ name }) => form.prefill?.includes(name) && query.has(name),
    );
    // Programs make such addresses, so numbers are written as in the API.
    const entered = answersIn(query, named, { ...publicWay(request, workflow), locale: 'en' });
    return show(request, shownForm(found), { entered, hidden: { [MARK]: newMark(workflow, form.id) } });
  }

  @Post('f/:token')
  async sendForm(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.posts.admit(request, token, (end) => this.forms.find(end));
    const { workflow, form } = found;
    const read = await this.read(request, shownForm(found)).catch(incomplete);
    if (!read) return showIncomplete(request, shownForm(found), { [MARK]: newMark(workflow, form.id) });
    const { sent, entered, answers } = read;
    const mark = sent.get(MARK) ?? '';
    const post = { ...answers, mark, trap: sent.get(TRAP) ?? '', deadline: request.deadline };
    try {
      const reference = await this.forms.send(found, post);
      return publicReply(<SentPage title={form.title} reference={reference} />, 200, form.embed);
    } catch (error) {
      const hidden = { [MARK]: renewedMark(workflow, form.id, mark) };
      return showAgain(error, request, shownForm(found), { entered, hidden });
    }
  }

  /** Shows the form and changes nothing, because mail scanners follow links. */
  @Get('ask/:token')
  async ask(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.asks.find(token);
    const entered = new Map(found.fields.map(({ field }) => [field, valueHeld(found, field)]));
    return show(request, shownAsk(found), { entered, hidden: { [SHOWN]: stateOfAsk(found) } });
  }

  @Post('ask/:token')
  async sendAsk(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.posts.admit(request, token, (end) => this.asks.find(end));
    const read = await this.read(request, shownAsk(found)).catch(incomplete);
    if (!read) return showIncomplete(request, shownAsk(found), { [SHOWN]: stateOfAsk(found) });
    const { sent, entered, answers } = read;
    try {
      await this.asks.send(found, { ...answers, shown: sent.get(SHOWN) ?? '' }, request.deadline);
      return publicReply(<SentPage title={found.ask.title} />);
    } catch (error) {
      return showAgain(error, request, shownAsk(found), { entered, hidden: { [SHOWN]: stateOfAsk(found) } });
    }
  }

  private async read(request: SharedRequest, { workflow, fields }: PublicForm) {
    const questions = publicQuestions(workflow, fields);
    const { fields: sent, files } = await this.posts.read(request, workflow, questions);
    const entered = answersIn(sent, questions, publicWay(request, workflow));
    return { sent, entered, answers: { values: jsonValues(entered), files } };
  }
}

const shownForm = ({ workflow, form }: OpenForm): PublicForm => ({ ...form, workflow });

const shownAsk = ({ workflow, fields, ask: { title } }: OpenAsk): PublicForm => ({ workflow, fields, title });

type Filled = Omit<Parameters<typeof PublicFormPage>[0], 'form' | 'path' | 'way'>;

function show(request: SharedRequest, form: PublicForm, filled: Filled, status = 200): Reply {
  const about = { form, path: request.path, way: publicWay(request, form.workflow) };
  return publicReply(<PublicFormPage {...about} {...filled} />, status, form.embed);
}

/** Shows a form again that was refused, if its sender can do something about it. */
function showAgain(error: unknown, request: SharedRequest, form: PublicForm, filled: Filled): Reply {
  const isUsed = error instanceof Refusal && error.kind === 'conflict';
  const refusal: InvalidFields['fields'] = isUsed
    ? [['base', ['This form was sent already. To send another, open its page anew.']]]
    : faultsOfForm(error, ['too-many-requests']);
  const status = isUsed ? 409 : error instanceof Refusal ? 429 : 422;
  return show(request, form, { ...filled, refusal }, status);
}

/** Of a form that broke off on its way, or that came in another way than a page sends it, nothing is read. */
function incomplete(error: unknown): undefined {
  faultsOfForm(error, ['malformed', 'unsupported-media-type']);
}

function showIncomplete(request: SharedRequest, form: PublicForm, hidden: Filled['hidden']): Reply {
  const required = publicQuestions(form.workflow, form.fields).filter(({ isRequired }) => isRequired);
  const refusal: InvalidFields['fields'] = [
    ['base', ['This form came incomplete. Fill it in again.']],
    ...required.map(({ name }) => [name, ['is required']] as const),
  ];
  return show(request, form, { entered: new Map(), hidden, refusal }, 422);
}
