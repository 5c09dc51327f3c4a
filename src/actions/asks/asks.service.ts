import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Deadline } from '../../../packages/fair/deadline.js';
import { pauses } from '../../../packages/fair/turn.js';
import {
  isJsonList,
  type Json,
  type JsonObject,
  toJson,
  writeJson,
} from '../../../packages/exact-json/json.js';
import { notFound } from '../../common/errors.js';
import { InvalidFields } from '../../common/field-errors.js';
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
import { fateOf } from './shown-values.js';
import { type FormAnswers, readAnswers } from './form-answers.js';
import { type FormField } from './form-fields.js';

export interface OpenAsk {
  readonly ask: Ask;
  readonly workflow: Workflow;
  readonly task: TaskRow;
  readonly fields: readonly FormField[];
}

interface AnsweredAsk extends FormAnswers {
  readonly shown: string;
}

/** Somebody else has changed these fields since the page was made, and so has its sender. */
export class Overtaken extends InvalidFields {
  constructor(fields: readonly { readonly name: string; readonly now: Json }[]) {
    super(fields.map(({ name, now }) => [name, [say`was changed meanwhile, to: ${readable(now)}`]]));
    this.now = new Map(fields.map(({ name, now }) => [name, now]));
  }

  readonly now: JsonObject;
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
   * Writes the fields of the task that the sender changed, once. Throws the faults of the answers, and the fields that
   * somebody else has changed since the page was made.
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
    errors.throwIfAny();
    const fates = [...answers.values].map(([name, value]) => {
      const now = toJson(valueHeld(found, name));
      return { name, now, fate: fateOf(name, value, now, shown) };
    });
    const overtaken = fates.filter(({ fate }) => fate === 'overtaken');
    if (overtaken.length > 0) throw new Overtaken(overtaken);
    const untouched = new Set(fates.filter(({ fate }) => fate === 'untouched').map(({ name }) => name));
    const written = new Map([...payload].filter(([name]) => !untouched.has(name)));
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

/** The files that a field already has: new ones are added after them. */
function heldFiles(found: OpenAsk, name: string): readonly Json[] {
  const held = toJson(valueHeld(found, name));
  return isJsonList(held) ? held : [];
}
