import { Controller, Get, Param, Post, Req, UseFilters } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { AsksService, type OpenAsk, Overtaken, valueHeld } from '../../actions/asks/asks.service.js';
import { renewedText, shownText } from '../../actions/asks/shown-values.js';
import { InvalidFields } from '../../common/field-errors.js';
import { type SharedRequest } from '../../common/http/share.guard.js';
import { Public } from '../../common/ops/health.controller.js';
import { type Reply } from '../../common/reply.js';
import { jsonValues, PublicFormPage, publicQuestions, publicReply, publicWay, SentPage, SHOWN } from './form-page.js'; // prettier-ignore
import { answersIn } from '../parts/control.js';
import { FormFilter } from './form.filter.js';
import { PublicPosts } from './public-posts.js';

/** The forms for one task that people get by mail. Whoever has the link may answer. */
@Controller('ask/:token')
@Public()
@ApiExcludeController()
@UseFilters(FormFilter)
export class AsksController {
  constructor(
    private readonly asks: AsksService,
    private readonly posts: PublicPosts,
  ) {}

  /** Shows the form and changes nothing, because mail scanners follow links. */
  @Get()
  async page(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.asks.find(token);
    const names = found.fields.map(({ field }) => field);
    const entered = new Map(names.map((name) => [name, valueHeld(found, name)]));
    return show(request, found, { entered, shown: shownText(jsonValues(entered)) });
  }

  @Post()
  async send(@Req() request: SharedRequest, @Param('token') token: string): Promise<Reply> {
    const found = await this.posts.admit(request, token, (end) => this.asks.find(end));
    const questions = questionsIn(found);
    const { fields, files } = await this.posts.read(request, found.ask, questions);
    const entered = answersIn(fields, questions, publicWay(request, found.workflow));
    const values = jsonValues(entered);
    const shown = fields.get(SHOWN) ?? '';
    try {
      await this.asks.send(found, { values, files, shown }, request.deadline);
      return publicReply(<SentPage title={found.ask.title} />);
    } catch (error) {
      if (!(error instanceof InvalidFields)) throw error;
      const again = error instanceof Overtaken ? renewedText(shown, error.now) : shown;
      return show(request, found, { entered, shown: again, refusal: new Map(error.fields) }, 422);
    }
  }
}

const questionsIn = ({ workflow, fields }: OpenAsk) => publicQuestions(workflow, fields);

type Filled = Pick<Parameters<typeof PublicFormPage>[0], 'entered' | 'shown' | 'refusal'>;

function show(request: SharedRequest, found: OpenAsk, filled: Filled, status = 200): Reply {
  const about = { title: found.ask.title, path: request.path, questions: questionsIn(found), way: publicWay(request, found.workflow) }; // prettier-ignore
  return publicReply(<PublicFormPage {...about} {...filled} />, status);
}
