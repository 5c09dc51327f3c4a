import { Post } from '@nestjs/common';
import { ApprovalsService } from '../../approvals/approvals.service.js';
import { Refusal } from '../../lib/errors.js';
import { InvalidFields } from '../../lib/field-errors.js';
import { type Reply } from '../../lib/reply.js';
import { nameOf } from '../../workspace/task-name.js';
import { Pages } from '../console-controller.js';
import { FormBody } from '../form-body.js';
import { seeOther } from '../page.js';
import { sentText } from '../parts/control.js';
import { taskPath } from '../task-shown.js';
import { CurrentPlace, type TaskPagePlace, TaskPages } from './task-pages.js';
import { type RefusedDecision } from './task-view.js';

/** What people decide on the page of a task. */
@Pages('workflows/:workflow/tasks/:task/approvals')
export class ApprovalFormsController {
  constructor(
    private readonly pages: TaskPages,
    private readonly approvals: ApprovalsService,
  ) {}

  /** Approves, rejects or takes back, unless what is approved has changed since the page was made. */
  @Post()
  async decide(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const [action, id] = [form.get('action_id') ?? '', form.get('id') ?? ''];
    const comment = sentText(form.get('comment') ?? '').trim();
    const decision = decisions.find((one) => one === form.get('decision')) ?? 'approve';
    const wanted = {
      actionId: action,
      groupId: id,
      decision,
      comment: comment || null,
      seen: form.get('seen'),
    };
    return this.does(place, { action, id, comment }, (scope, name) =>
      this.approvals.decide(scope, name, wanted),
    );
  }

  /** Sets the approvals of an action aside. */
  @Post('override')
  async override(@CurrentPlace() place: TaskPagePlace, @FormBody() form: URLSearchParams): Promise<Reply> {
    const action = form.get('action_id') ?? '';
    const reason = sentText(form.get('reason') ?? '');
    const wanted = { actionId: action, reason, seen: form.get('seen') };
    return this.does(place, { action, id: '', comment: reason }, (scope, name) =>
      this.approvals.override(scope, name, wanted),
    );
  }

  private async does(
    place: TaskPagePlace,
    sent: Omit<RefusedDecision, 'messages'>,
    work: (...of: Parameters<ApprovalsService['of']>) => Promise<unknown>,
  ): Promise<Reply> {
    const { scope, task } = await this.pages.find(place);
    const { words } = place.to;
    try {
      await work(scope, nameOf(task));
      return seeOther(`${taskPath(scope.workflow, task)}#approvals`);
    } catch (error) {
      if (error instanceof InvalidFields) {
        const messages = error.fields.flatMap(([, texts]) => texts);
        return this.pages.show(place, { status: 422, refusedDecision: { ...sent, messages } });
      }
      if (!(error instanceof Refusal) || error.kind !== 'precondition-failed') throw error;
      const lines = [{ text: words.approvals.changed }];
      return this.pages.show(place, {
        status: 409,
        notice: { tone: 'waiting', lines },
        refusedDecision: { ...sent, messages: [] },
      });
    }
  }
}

const decisions = ['approve', 'reject', 'withdraw'] as const;
