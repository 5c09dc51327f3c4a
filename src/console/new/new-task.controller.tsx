import { faultsOfForm, type Notice, refusedForm } from '../parts/notices.js';
import { Get, Post } from '@nestjs/common';
import { Refusal } from '../../common/errors.js';
import { type InvalidFields } from '../../common/field-errors.js';
import { type Json } from '../../../packages/exact-json/json.js';
import { type Reply } from '../../common/reply.js';
import { noPrecondition } from '../../tasks/store/task-row.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type Write } from '../../tasks/write.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { requireCreates } from '../../workflows/model/allowed.js';
import { Entered, WorkflowPages, type WorkflowRequest } from '../console-controller.js';
import { keyOfForm, FilledForm, type SentForm } from '../form-body.js';
import { pageReply, seeOther } from '../page.js';
import { answersIn } from '../parts/control.js';
import { taskPath } from '../task-shown.js';
import { newTaskQuestions, creationPayload } from './new-task.js';
import { NewTaskPage, newTaskPath } from './new-task-page.js';
import { type Scope } from '../../workflows/model/scope.js';

@WorkflowPages('workflows/:workflow/new')
export class NewTaskController {
  constructor(
    private readonly writer: TaskWriter,
    private readonly tasks: TasksService,
  ) {}

  @Get()
  page(@Entered() { scope, query }: WorkflowRequest): Reply {
    requireCreates(scope);
    const notice: Notice | undefined = query.has(MADE) ? made : undefined;
    const form = { entered: new Map(), notice };
    return pageReply(<NewTaskPage scope={scope} questions={newTaskQuestions(scope)} form={form} />);
  }

  /**
   * Creates the task. Redirects to its page, or to a blank form if the reader may not see the task. Shows
   * refusals beside the entered values.
   */
  @Post()
  async create(@Entered() asked: WorkflowRequest, @FilledForm() sent: SentForm): Promise<Reply> {
    const { reader, scope } = asked;
    const questions = newTaskQuestions(scope);
    const entered = answersIn(sent.fields, questions, reader);
    try {
      const creation = creationOf(scope, sent, creationPayload(entered, questions));
      const { publicId } = await this.writer.write(scope, creation);
      const isSeen = (await this.tasks.findNamed(scope, { publicId })) !== undefined;
      return seeOther(
        isSeen ? taskPath(scope.workflow, { publicId }) : `${newTaskPath(scope.workflow)}?${MADE}`,
      );
    } catch (error) {
      const lead = ['The task was not created.'];
      const { lines, ...notice } = refusedForm(questions, fieldsIn(scope, error), lead);
      // Browsers do not allow a page to fill in a file control.
      const lost = sent.files.size > 0 ? ['Choose the files again: they were not kept.'] : [];
      const form = { entered, notice: { ...notice, lines: [...lines, ...lost] } };
      return pageReply(<NewTaskPage scope={scope} questions={questions} form={form} />, { status: 422 });
    }
  }
}

/** The URL parameter that reports a created task that the reader may not see. */
const MADE = '_made';
const made = { tone: 'good', lines: ['The task was created. Your role does not let you see it.'] } as const;

/**
 * The creation of a task. A form that is sent twice creates one task. The new task takes no linked task away
 * from another task.
 */
function creationOf(scope: Scope, { fields, files }: SentForm, entered: readonly [string, Json][]): Write {
  const precondition = { ...noPrecondition, mustNotExist: true, states: [] };
  const known = [...files].filter(([name]) => scope.workflow.schema.byName.get(name)?.files !== undefined);
  const sentFiles = known.flatMap(([, each]) => each.map((file) => [...file]));
  const idempotencyKey = keyOfForm(fields, sentFiles);
  const payload = new Map<string, Json>([...entered, ...known]);
  return { verb: 'upsert', payload, precondition, idempotencyKey, linksOnlyFree: true };
}

/**
 * The faults that the form shows, for invalid values and for the kinds of refusals below. Rethrows other
 * errors.
 */
function fieldsIn({ workflow: { schema } }: Scope, error: unknown): InvalidFields['fields'] {
  // The only precondition is that no task with this Unique ID exists.
  if (error instanceof Refusal && error.kind === 'precondition-failed')
    return [[schema.uniqueId?.name ?? '', ['has already been taken']]];
  return faultsOfForm(error, ['forbidden', 'too-large', 'conflict']);
}
