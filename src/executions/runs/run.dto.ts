import { TaskAddress } from '../../tasks/tasks.dto.js';
import { runKinds } from '../../common/named-by-features.js';
import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { shownEventId } from '../../common/origin.js';
import { type RunResult, runResults } from '../../common/column-values.js';
import { type RunEntity } from './run.entity.js';
import { ShownChainLink } from '../../events/event.dto.js';
import { OneOf } from '../../common/http/query.decorator.js';
import { PageQuery } from '../../common/http/paged-list.js';
import { type Known, knownChain, knownMessage, unseen } from '../../workflows/model/known.js';
import { type ListedRun } from './runs.repository.js';
import { english, messageOfText } from '../../common/message.js';

export class RunsQuery extends PageQuery {
  @OneOf(runResults, 'Only runs with this result.', 'RunResult')
  result?: string | undefined;
}

@ApiSchema({ name: 'RunStarter' })
class RunStarter {
  @ApiProperty({ type: String, enum: runKinds })
  readonly kind!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id of the starter; null if its workflow is hidden.',
  })
  readonly id!: string | null;
}

@ApiSchema({ name: 'Run' })
export class ShownRun {
  @ApiProperty({ description: 'The id of the run.' })
  readonly id!: string;

  @ApiProperty({ type: () => RunStarter })
  readonly by!: RunStarter;

  @ApiProperty({
    enum: runResults,
    description: 'waiting: the execution starts later; failed: the execution failed.',
  })
  readonly result!: RunResult;

  @ApiProperty({ type: String, nullable: true, description: 'The reason for the result.' })
  readonly because!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the event that triggered the run.' })
  readonly event!: string | null;

  @ApiProperty({ type: () => TaskAddress, nullable: true, description: 'The task of the action.' })
  readonly task!: TaskAddress | null;

  @ApiProperty({ type: String, nullable: true, description: 'The id of the execution.' })
  readonly execution!: string | null;

  @ApiProperty({ format: 'date-time' })
  readonly at!: string;

  @ApiProperty({ type: () => [ShownChainLink], description: 'The rules, each of which triggered the next.' })
  readonly chain!: readonly ShownChainLink[];
}

export type UrlOfTask = (workflowId: number, publicId: string) => string;

interface RunReader {
  readonly urlOf: UrlOfTask;
  readonly known: Known;
}

export function showRun({ run, isTold }: ListedRun, { urlOf, known }: RunReader): ShownRun {
  const { id, kind, starterId, result, because, eventId, executionId, createdAt, cause } = run;
  return {
    id,
    by: { kind, id: known(run.workflowId) ? starterId : null },
    result,
    because: because && english(isTold ? knownMessage(messageOfText(because), known) : unseen),
    event: isTold ? eventId && shownEventId(eventId) : null,
    task: taskOf(run, urlOf),
    execution: executionId,
    at: createdAt.toISOString(),
    chain: isTold ? knownChain(cause?.chain ?? [], known) : [],
  };
}

function taskOf({ taskWorkflowId, publicId, uniqueValue }: RunEntity, urlOf: UrlOfTask): TaskAddress | null {
  if (taskWorkflowId === null || publicId === null) return null;
  return { unique_id: uniqueValue, url: urlOf(taskWorkflowId, publicId) };
}
