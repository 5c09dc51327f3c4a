import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { pauses } from '../../../packages/fair/turn.js';
import { isJsonList, type Json, toJson, writeJson } from '../../../packages/exact-json/json.js';
import { notFound } from '../../common/errors.js';
import { say } from '../../common/message.js';
import { excerpt } from '../../common/wording.js';
import { Origin } from '../../common/origin.js';
import { findTaskOfId } from '../../tasks/store/task.repository.js';
import { noPrecondition, type TaskRow } from '../../tasks/store/task-row.js';
import { TaskWriter } from '../../tasks/write-task.js';
import { type Output } from '../../workflows/fields/field-type.js';
import { Scope } from '../../workflows/model/scope.js';
import { findWorkflow, type Workflow } from '../../workflows/model/workspace.js';
import { Workspaces } from '../../workflows/model/workspaces.js';
import { type Ask, findAsk, useAsk } from './asks.repository.js';
import { type FormAnswers, readAnswers } from './form-answers.js';
import { type FormField } from './form-fields.js';

export interface OpenAsk {
  readonly ask: Ask;
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly fields: readonly FormField[];
}

interface AnsweredAsk extends FormAnswers {
  /** The state of the fields on the page; blank if the page does not tell it. */
  readonly shown: string;
}

const readable = (value: Json): string =>
  isJsonList(value)
    ? value.map(readable).join(', ')
    : excerpt(typeof value === 'string' ? value : writeJson(value ?? ''));

@Injectable()
export class AsksService {
  constructor(
    private readonly dataSource: DataSource,
    private readonly workspaces: Workspaces,
    private readonly writer: TaskWriter,
  ) {}

  /** The form at an address; 404 if there is none, or it was used, or has expired. */
  async find(token: string): Promise<OpenAsk> {
    const ask = await findAsk(this.dataSource.manager, token);
    const workflow = ask && findWorkflow(await this.workspaces.get(ask.workspaceId), ask.workflowId);
    const task =
      workflow &&
      (await findTaskOfId(
        this.dataSource.manager,
        ask,
        ask.fields.map(({ id }) => id),
      ));
    if (!task) throw notFound();
    const fields = ask.fields.flatMap((one) => {
      const property = workflow.schema.properties.find(({ fieldId }) => fieldId === one.id);
      return property ? [{ ...one, field: property.name }] : [];
    });
    return { ask, workflow, task, fields };
  }

  /**
   * Writes the fields of the task that the sender changed, once. If somebody else has changed one of the form's fields
   * since the page was made, a fault tells the present value of each field that would be overwritten.
   */
  async send(
    found: OpenAsk,
    { shown, ...answers }: AnsweredAsk,
    deadline: Deadline | undefined,
  ): Promise<void> {
    const { ask, workflow, task, fields } = found;
    const { payload, errors } = await readAnswers(fields, answers, pauses(ask), (name) =>
      heldFiles(found, name),
    );
    const held = (name: string): Json => toJson(valueHeld(found, name));
    const written = new Map([...payload].filter(([name, value]) => !isSame(value, held(name))));
    if (shown !== '' && shown !== stateOfAsk(found))
      for (const name of written.keys())
        if (!answers.files.has(name)) errors.add(name, say`is now: ${readable(held(name))}`);
    errors.throwIfAny();
    const origin = new Origin({ form: { id: ask.actionId, reference: ask.recipient } });
    await this.writer.write(new Scope(workflow, undefined, deadline, origin), {
      verb: 'update',
      task: { publicId: task.publicId },
      payload: written,
      precondition: { ...noPrecondition, mustExist: true },
      extraChanges: {
        request: null,
        async write(tx) {
          if (!(await useAsk(tx, ask))) throw notFound();
        },
      },
    });
  }
}

export function valueHeld({ workflow, task }: OpenAsk, name: string): Output {
  const value = workflow.schema.byName.get(name)?.serialize(task) ?? null;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? null : (value as Output);
}

/** A digest of the values that the form shows. */
export const stateOfAsk = (found: OpenAsk): string =>
  hash('sha256', writeJson(found.fields.map(({ field }) => toJson(valueHeld(found, field)))), 'base64url');

/** Whether a control shows both values alike. */
const isSame = (one: Json, other: Json): boolean => canonical(one) === canonical(other);

const canonical = (value: Json): string =>
  writeJson(value === '' || value === false || (isJsonList(value) && value.length === 0) ? null : value);

/** The files that a field already has: new ones are added after them. */
function heldFiles(found: OpenAsk, name: string): readonly Json[] {
  const held = toJson(valueHeld(found, name));
  return isJsonList(held) ? held : [];
}
