import { type Action, actionsOf } from '../../actions/action.js';
import { ActionsService } from '../../actions/actions.service.js';
import { Refusal } from '../../common/errors.js';
import { english, type Message } from '../../common/message.js';
import { type ChosenTask } from '../../executions/bulk-edits.js';
import { Preferences } from '../../messages/inbox/preferences.js';
import { channelFor } from '../../messages/inbox/tell.js';
import { type TaskRow } from '../../tasks/store/task-row.js';
import { TasksService } from '../../tasks/tasks.service.js';
import { type Property } from '../../workflows/fields/property.js';
import { mayEditSome, requireEdits, requireMoves } from '../../workflows/model/allowed.js';
import { type Scope } from '../../workflows/model/scope.js';
import { Injectable } from '@nestjs/common';
import { peopleOf } from '../parts/control.js';
import { type SignedIn } from '../reader.js';
import { askedBy, keptOf } from '../task/task-view.js';
import { fewAtATime } from '../../common/each.js';

/** A menu for several tasks of a list. The user applies one of its choices. */
export interface BulkMenu {
  readonly name: 'assign' | 'stage' | 'action';
  readonly label: string;
  /** The title of the dialog. The number of tasks follows the title. */
  readonly title: string;
  readonly choices: readonly BulkChoice[];
}

interface BulkChoice {
  readonly value: string;
  readonly text: string;
  /** The effects of the choice on the chosen tasks, as far as known. */
  readonly told?: string;
  /** Whether all chosen tasks would refuse the choice. */
  readonly isBarred?: boolean;
}

/** The menus that the reader's role allows on at least some of the visible tasks. */
export async function bulkMenus(reader: SignedIn, scope: Scope): Promise<BulkMenu[]> {
  const isEditor = mayEditSome(scope);
  const stage = scope.workflow.schema.byName.get('Stage');
  const ask = stage && askedBy(stage, scope);
  const stages = isEditor && ask?.by === 'option' ? ask.options : [];
  const people = isEditor ? [['', 'Nobody'] as const, ...peopleOf(reader)] : [];
  const actions = await startableActions(scope);
  const menus: BulkMenu[] = [
    { name: 'assign', label: 'Assign to', title: 'Assign', choices: people.map(([value, text]) => ({ value, text })) }, // prettier-ignore
    {
      name: 'stage',
      label: 'Move to',
      title: 'Move',
      choices: stages.map((name) => ({ value: name, text: name })),
    },
    { name: 'action', label: 'Run an action', title: 'Run an action on', choices: actions.map(({ id, name }) => ({ value: id, text: name })) }, // prettier-ignore
  ];
  return menus.filter(({ choices }) => choices.length > 0);
}

async function startableActions(scope: Scope): Promise<Action[]> {
  const allowed = scope.bound?.permissions.actions ?? 'all';
  const actions = await actionsOf(scope);
  return actions.filter(({ id, isByRules }) => !isByRules && (allowed === 'all' || allowed.includes(id)));
}

/** Maps a menu to the property that the menu sets. The menu `action` sets no property. */
export const keysOfMenus = { assign: 'Assigned To', stage: 'Stage' } as const;

@Injectable()
export class BulkPreviews {
  constructor(
    private readonly tasks: TasksService,
    private readonly actions: ActionsService,
    private readonly preferences: Preferences,
  ) {}

  /** The menu with the effect of each choice: how many tasks accept the choice, and why the rest refuse. */
  async of(menu: BulkMenu, reader: SignedIn, scope: Scope, chosen: readonly ChosenTask[]): Promise<BulkMenu> {
    const { name } = menu;
    const rows = name === 'action' ? [] : await this.rowsOf(scope, chosen);
    const refusedBy: RefusedBy =
      name === 'action'
        ? await this.ofActions(scope, chosen)
        : () => refusalsOf(scope, keysOfMenus[name], rows);
    const mailsTo = name === 'assign' ? await this.mailsOfAssignment(reader, scope, rows) : () => '';
    const choices = menu.choices.map((choice) => {
      const refused = refusedBy(choice.value);
      const told = [foretold(refused, chosen.length), mailsTo(choice.value)].filter(Boolean).join(' · ');
      return { ...choice, told, isBarred: refused.length >= chosen.length };
    });
    return { ...menu, choices };
  }

  /**
   * Returns a function that takes an assignee's e-mail address. The function returns `1 mail` if the assignee
   * would get a mail. Readers who assign tasks to themselves get no mail.
   */
  private async mailsOfAssignment(
    { workspace, user: own }: SignedIn,
    scope: Scope,
    rows: readonly TaskRow[],
  ): Promise<(email: string) => string> {
    const choices = await this.preferences.mailChoices(workspace.id);
    const free = rows.filter((task) => refusalsOf(scope, 'Assigned To', [task]).length === 0);
    return (email) => {
      const user = workspace.users.find(email);
      if (!user || user === own || channelFor('assigned', workspace) !== 'mail') return '';
      const isTold = choices.get(user.id) !== 'none' && free.some(({ assigneeId }) => assigneeId !== user.id);
      return isTold ? '1 mail' : '';
    };
  }

  private async ofActions(scope: Scope, chosen: readonly ChosenTask[]): Promise<RefusedBy> {
    const found = await fewAtATime(chosen, ({ publicId }) =>
      this.actions.explain(scope, { publicId }).catch(notSeen),
    );
    return (id) => {
      const explained = found.map((actions) => actions.find(({ action }) => action.id === id));
      const unmet = explained.map((each) =>
        each ? [...each.unmet.map(({ message }) => message), ...askedIn(each.action)] : [gone],
      );
      return unmet.filter((messages) => messages.length > 0);
    };
  }

  private async rowsOf(scope: Scope, chosen: readonly ChosenTask[]): Promise<TaskRow[]> {
    const rows = await fewAtATime(chosen, ({ publicId }) => this.tasks.findNamed(scope, { publicId }));
    return rows.filter((row) => row !== undefined);
  }
}

/** For each chosen task that would refuse the choice, returns the reasons. */
type RefusedBy = (choice: string) => readonly (readonly Message[])[];

function foretold(refused: readonly (readonly Message[])[], count: number): string {
  if (refused.length === 0) return '';
  const reasons = [...new Set(refused.map((messages) => messages.map(english).join(', ')))];
  const told = reasons.slice(0, MOST_REASONS).join('; ') + (reasons.length > MOST_REASONS ? '; …' : '');
  return `${count - refused.length} of ${count}, because: ${told}`;
}

const MOST_REASONS = 2;

const gone = 'A task that is no longer here, or that you cannot see';

/** A task that was deleted, or that the reader cannot see, offers no actions. */
function notSeen(error: unknown): [] {
  if (error instanceof Refusal && error.kind === 'not-found') return [];
  throw error;
}

/** An action that requires values must be started for one task at a time. */
const askedIn = ({ asked }: Action): Message[] =>
  asked.some(({ required }) => required) ? ['asks for values: one task at a time'] : [];

/** For each task that would refuse another value of this property, returns the reasons. */
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
