import { type Action, actionsOf } from '../../actions/action.js';
import { ActionsService } from '../../actions/actions.service.js';
import { Refusal } from '../../common/errors.js';
import { type Message } from '../../common/message.js';
import { type ChosenTask } from '../../executions/bulk-edits.js';
import { Preferences } from '../../messages/inbox/preferences.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type AskedField } from '../../workflows/fields/field-type.js';
import { type Property } from '../../workflows/fields/property.js';
import { mayEditSome, requireEdits, requireMoves } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { Injectable } from '@nestjs/common';
import { peopleOf } from '../parts/control.js';
import { type SignedIn } from '../reader.js';
import { askedBy, guardOf, keptOf } from '../task/task-view.js';
import { fewAtATime } from '../../common/each.js';
import { channelFor } from '../../messages/inbox/tell.js';

/** A menu for several tasks of a list. One of its choices is applied. */
export interface BulkMenu {
  readonly name: 'assign' | 'stage' | 'field' | 'action';
  readonly label: string;
  readonly choices: readonly (readonly [value: string, text: string])[];
}

/** The menus of the operations that the reader's role allows on at least some of the tasks that they see. */
export async function bulkMenus(reader: SignedIn, scope: Scope): Promise<BulkMenu[]> {
  const isEditor = mayEditSome(scope);
  const stage = scope.workflow.schema.byName.get('Stage');
  const ask = stage && askedBy(stage, scope);
  const stages = isEditor && ask?.by === 'option' ? ask.options : [];
  const people = isEditor ? [['', 'Nobody'] as const, ...peopleOf(reader)] : [];
  const fields = [...settableFields(scope).keys()];
  const actions = await startableActions(scope);
  const menus: BulkMenu[] = [
    { name: 'assign', label: 'Assign to', choices: people },
    { name: 'stage', label: 'Move to', choices: stages.map((name) => [name, name]) },
    { name: 'field', label: 'Set a field', choices: fields.map((name) => [name, name]) },
    { name: 'action', label: 'Run an action', choices: actions.map(({ id, name }) => [id, name]) },
  ];
  return menus.filter(({ choices }) => choices.length > 0);
}

async function startableActions(scope: Scope): Promise<Action[]> {
  const allowed = scope.bound?.permissions.actions ?? 'all';
  const actions = await actionsOf(scope);
  return actions.filter(({ id, isByRules }) => !isByRules && (allowed === 'all' || allowed.includes(id)));
}

/** The fields that the reader may set on at least some of the tasks, by name, with their controls. */
export function settableFields(scope: Scope): ReadonlyMap<string, AskedField> {
  const { schema } = scope.workflow;
  const fields = new Map<string, AskedField>();
  if (!mayEditSome(scope)) return fields;
  for (const property of schema.properties) {
    const ask = property.fieldId ? askedBy(property, scope) : undefined;
    if (ask && !guardOf(schema, property)?.changing) fields.set(property.name, ask);
  }
  return fields;
}

/** The effects of each choice in a menu on the chosen tasks, as far as they are known before. */
export interface PreviewedMenu extends BulkMenu {
  readonly foretold: readonly Foretelling[];
}

/** The reasons of the tasks that would refuse, as a list for each task, and other effects. */
interface Foretelling {
  readonly refused: readonly (readonly Message[])[];
  readonly more: readonly Message[];
}

@Injectable()
export class BulkPreviews {
  constructor(
    private readonly tasks: TasksService,
    private readonly actions: ActionsService,
    private readonly preferences: Preferences,
  ) {}

  async of(
    menu: BulkMenu,
    reader: SignedIn,
    scope: Scope,
    chosen: readonly ChosenTask[],
  ): Promise<PreviewedMenu> {
    const foretold = await (menu.name === 'action'
      ? this.ofActions(menu, scope, chosen)
      : this.ofValues(menu, reader, scope, chosen));
    return { ...menu, foretold };
  }

  /** Why these tasks would refuse another value of a field, as a list for each such task. */
  async against(scope: Scope, name: string, chosen: readonly ChosenTask[]): Promise<Message[][]> {
    return refusalsOf(scope, name, await this.rowsOf(scope, chosen));
  }

  private async ofValues(
    { name, choices }: BulkMenu,
    reader: SignedIn,
    scope: Scope,
    chosen: readonly ChosenTask[],
  ) {
    const rows = await this.rowsOf(scope, chosen);
    if (name === 'field')
      return choices.map(([field]) => ({ refused: refusalsOf(scope, field, rows), more: [] }));
    const key = name === 'assign' ? 'Assigned To' : 'Stage';
    const refused = refusalsOf(scope, key, rows);
    const free = rows.filter((task) => refusalsOf(scope, key, [task]).length === 0);
    const told = name === 'assign' ? await this.toldTo(reader) : new Map<string, Message>();
    return choices.map(([value]) => {
      const heldBy = (task: TaskRow): string =>
        name === 'assign' ? assigneeOf(reader, task) : stageOf(scope, task);
      const same = free.filter((task) => heldBy(task) === value);
      const message = same.length < free.length ? told.get(value) : undefined;
      return {
        refused,
        more: [
          ...(same.length > 0 ? [`${same.length} unchanged`] : []),
          ...(message === undefined ? [] : [message]),
        ],
      };
    });
  }

  /** How each user except the reader would be notified of an assignment, by e-mail; computed once for all tasks. */
  private async toldTo({ workspace, user: own }: SignedIn): Promise<ReadonlyMap<string, Message>> {
    const choices = await this.preferences.ofAll(workspace.id);
    const told = new Map<string, Message>();
    for (const { userId, choices: chosen } of choices) {
      const user = workspace.users.get(userId);
      const channel = channelFor('assigned', chosen, workspace.notifications);
      if (user && userId !== own.id) told.set(user.email, channelTexts[channel]);
    }
    return told;
  }

  private async ofActions({ choices }: BulkMenu, scope: Scope, chosen: readonly ChosenTask[]) {
    const found = await fewAtATime(chosen, ({ publicId }) =>
      this.actions.explain(scope, { publicId }).catch(notSeen),
    );
    return choices.map(([id]) => {
      const explained = found.map((actions) => actions.find(({ action }) => action.id === id));
      const unmet = explained.map((each) =>
        each ? [...each.unmet.map(({ message }) => message), ...askedIn(each.action)] : [gone],
      );
      return { refused: unmet.filter((messages) => messages.length > 0), more: [] };
    });
  }

  private async rowsOf(scope: Scope, chosen: readonly ChosenTask[]): Promise<TaskRow[]> {
    const rows = await fewAtATime(chosen, ({ publicId }) => this.tasks.findNamed(scope, { publicId }));
    return rows.filter((row) => row !== undefined);
  }
}

const channelTexts = { mail: 'told by mail', inbox: 'told in the inbox', off: 'not told' } as const;

const gone = 'A task that is no longer here, or that you cannot see';

/** A deleted task refuses every operation. */
function notSeen(error: unknown): [] {
  if (error instanceof Refusal && error.kind === 'not-found') return [];
  throw error;
}

/** Actions that ask for values have to be started one by one. */
const askedIn = ({ asked }: Action): Message[] =>
  asked.some(({ required }) => required) ? ['asks for values: one task at a time'] : [];

const assigneeOf = ({ workspace }: SignedIn, { assigneeId }: TaskRow): string =>
  assigneeId === null ? '' : (workspace.users.get(assigneeId)?.email ?? '');

const stageOf = ({ workflow }: Scope, { stageId }: TaskRow): string =>
  workflow.schema.stages.get(stageId).name;

/** Why tasks would refuse another value of this key, as a list for each such task. */
function refusalsOf(scope: Scope, name: string, rows: readonly TaskRow[]): Message[][] {
  const property = scope.workflow.schema.byName.get(name);
  return rows.flatMap((task) => {
    const why = property && whyKept(scope, task, property);
    return why === undefined ? [] : [[why]];
  });
}

function whyKept(scope: Scope, task: TaskRow, property: Property): Message | undefined {
  try {
    requireEdits(scope, task);
    if (property.name === 'Stage') requireMoves(scope, task);
    return keptOf({ scope, task }, property);
  } catch (error) {
    if (error instanceof Refusal) return error.said;
    throw error;
  }
}
