import { Get, Param, Post } from '@nestjs/common';
import { notFound } from '../../lib/errors.js';
import { type Reply } from '../../lib/reply.js';
import { SchedulesService } from '../../schedules/schedules.service.js';
import { type Scope } from '../../workspace/scope.js';
import { pageReply, seeOther } from '../page.js';
import { AdminPages, type AdminRequest, Asked } from './admin-pages.js';
import { Administered } from './administered.js';
import { askedRuns, doneNotice } from './rules.controller.js';
import { schedulePath, SchedulePage, SchedulesPage } from './schedules-page.js';

/** The schedules of the workflows that somebody administers; what they are stands in the definition. */
@AdminPages('admin/schedules')
export class AdminSchedulesController {
  constructor(
    private readonly administered: Administered,
    private readonly schedules: SchedulesService,
  ) {}

  @Get()
  async list(@Asked() place: AdminRequest): Promise<Reply> {
    const schedules = await this.administered.all(
      place,
      (workflow) => workflow.schedules.length > 0,
      (scope) => this.schedules.list(scope),
    );
    return pageReply(<SchedulesPage to={place.to} schedules={schedules} />);
  }

  @Get(':workflow/:schedule')
  async show(@Asked() place: AdminRequest, @Param('schedule') id: string): Promise<Reply> {
    const { to, query } = place;
    const scope = await this.administered.enter(place);
    this.schedules.require(scope, id);
    const asked = askedRuns(query);
    const [schedules, runs] = await Promise.all([
      this.schedules.list(scope),
      this.administered.runsOf(scope, 'schedule', id, asked),
    ]);
    const schedule = schedules.find((each) => each.id === id);
    if (!schedule) throw notFound();
    const { workflow } = scope;
    const view = { to, workflow, schedule, runs, asked, notice: doneNotice(place, id) };
    return pageReply(<SchedulePage {...view} />);
  }

  @Post(':workflow/:schedule/run')
  async run(@Asked() place: AdminRequest, @Param('schedule') id: string): Promise<Reply> {
    const scope = await this.administered.enter(place);
    await this.schedules.run(scope, id, undefined);
    return this.back(scope, id, 'run');
  }

  @Post(':workflow/:schedule/pause')
  async pause(@Asked() place: AdminRequest, @Param('schedule') id: string): Promise<Reply> {
    const scope = await this.administered.enter(place);
    await this.schedules.pause(scope, id, true);
    return this.back(scope, id, 'paused');
  }

  @Post(':workflow/:schedule/resume')
  async resume(@Asked() place: AdminRequest, @Param('schedule') id: string): Promise<Reply> {
    const scope = await this.administered.enter(place);
    await this.schedules.pause(scope, id, false);
    return this.back(scope, id, 'resumed');
  }

  private back({ workflow }: Scope, id: string, done: string): Reply {
    return seeOther(`${schedulePath(workflow, id)}?done=${done}`);
  }
}
