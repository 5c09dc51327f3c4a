import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource, Raw } from 'typeorm';
import { pauses } from '../../../packages/fair/turn.js';
import { toJson, writeJson } from '../../../packages/exact-json/json.js';
import { hashOfToken, workspaceOfToken } from '../../access/secret-token.js';
import { notFound, Refusal, TryAgain } from '../../common/errors.js';
import { Origin } from '../../common/origin.js';
import { findTasksOfIds } from '../../tasks/store/task.repository.js';
import { noPrecondition, stateOfTask, type TaskRow } from '../../tasks/store/task-row.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { type Write } from '../../tasks/write.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workflow } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { AskEntity } from './ask.entity.js';
import { type OutsideForm, readAnswers, type SentPost } from './form-answers.js';

interface OpenAsk extends Pick<OutsideForm, 'workflow' | 'fields'> {
  readonly ask: AskEntity;
  readonly task: TaskRow;
  readonly held: ReadonlyMap<string, Output>;
}

/** Matches forms that have not expired. A form that was answered is no longer stored. */
const isOpen = { expiresAt: Raw((column) => `${column} > service_now()`) };

/** Finds mailed forms, each of which changes one task, and writes their answers to the task. */
@Injectable()
export class AsksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly writer: TaskWriter,
  ) {}

  /**
   * Finds the form of a token. Throws 404 if the form is unknown, answered or expired, or its task was
   * deleted.
   */
  async find(token: string): Promise<OutsideForm> {
    const { manager } = this.dataSource;
    const workspaceId = workspaceOfToken(token);
    if (workspaceId === undefined) throw notFound();
    const ask = await manager.findOneBy(AskEntity, { workspaceId, hash: hashOfToken(token), ...isOpen });
    const workflow = ask && findWorkflow(await this.workspaces.get(workspaceId), ask.workflowId);
    if (!workflow) throw notFound();
    const ids = ask.fields.map(({ id }) => id);
    const [task] = await findTasksOfIds(manager, ask, [ask.taskId], ids);
    if (!task) throw notFound();
    const fields = ask.fields.flatMap((one) => {
      const property = workflow.schema.properties.find(({ fieldId }) => fieldId === one.id);
      return property ? [{ ...one, field: property.name }] : [];
    });
    const held = new Map(fields.map(({ field }) => [field, valueHeld(workflow, task, field)]));
    const form = { workflow, fields, held };
    return {
      ...form,
      title: ask.title,
      mark: () => stateOf(held),
      send: (post) => this.send({ ...form, ask, task }, post),
    };
  }

  /**
   * Writes the answers and deletes the form. Refuses if a value in the form has changed since the page was
   * rendered. Throws `TryAgain` if the task has changed since the form was found.
   */
  private async send(form: OpenAsk, { mark, deadline, ...answers }: SentPost): Promise<undefined> {
    const { ask, workflow, task, held } = form;
    const { payload, errors } = await readAnswers(form, answers, pauses(ask));
    if (mark !== '' && mark !== stateOf(held)) errors.add('base', CHANGED);
    errors.throwIfAny();
    const origin = new Origin({ form: { id: ask.actionId, reference: ask.recipient } });
    const write: Write = {
      verb: 'update',
      task: { publicId: task.publicId },
      payload,
      precondition: { ...noPrecondition, mustExist: true, states: [stateOfTask(task)] },
      extraChanges: {
        request: null,
        async write(tx) {
          const { workspaceId, hash: usedHash } = ask;
          const { affected } = await tx.delete(AskEntity, { workspaceId, hash: usedHash, ...isOpen });
          if (affected !== 1) throw notFound();
        },
      },
    };
    try {
      await this.writer.write(new Scope(workflow, undefined, deadline, origin), write);
    } catch (error) {
      const isChanged = error instanceof Refusal && error.kind === 'precondition-failed';
      throw isChanged ? new TryAgain('the task of the form was changed meanwhile') : error;
    }
    return undefined;
  }
}

function valueHeld({ schema }: Workflow, task: TaskRow, name: string): Output {
  const value = schema.byName.get(name)?.serialize(task) ?? null;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : (value as Output);
}

const CHANGED =
  'Somebody has changed these values meanwhile. Send the form again to replace the new values, or open the link again to see the new values.';

const stateOf = (held: ReadonlyMap<string, Output>): string =>
  hash('sha256', writeJson([...held.values()].map(toJson)), 'base64url');
