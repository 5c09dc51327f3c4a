import { plural } from '../../common/wording.js';
import { Get } from '@nestjs/common';
import { type VNode } from 'preact';
import { type Reply } from '../../common/reply.js';
import { adminPath } from '../admin/admin-page.js';
import { pagesFor } from '../admin/admin-pages.js';
import { boardPath, listPath, viewPath } from '../board/addresses.js';
import { AskedHere, type AskedOfPages, Pages } from '../console-controller.js';
import { newTaskPath } from '../new/new-task-page.js';
import { pageReply } from '../page.js';
import { type SignedIn } from '../reader.js';
import { type TaskMatches, TaskSearches } from '../../tasks/list/task-searches.js';
import { searchedScopes } from '../search/search.controller.js';
import { calledIn, taskPath } from '../task-shown.js';

interface Option {
  readonly href: string;
  readonly name: string;
  readonly kind: string;
}

/** The entries of the palette: pages by name, and tasks by Unique ID and words. */
@Pages('palette')
export class PaletteController {
  constructor(private readonly searches: TaskSearches) {}

  @Get()
  async find(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    const words = (asked.query.get('q') ?? '').trim().slice(0, 200);
    const found = await this.searches.inAll(searchedScopes(asked, words), words);
    const isLike = ({ name }: Option): boolean => name.toLowerCase().includes(words.toLowerCase());
    const options = [...placesOf(asked.reader).filter(isLike), ...found.flatMap(tasksIn)];
    return pageReply(<Options words={words} options={options.slice(0, MAX_OPTIONS)} />);
  }
}

const MAX_OPTIONS = 50;

function placesOf(reader: SignedIn): Option[] {
  const { workspace, user } = reader;
  const page = (href: string, name: string): Option => ({ href, name, kind: 'Page' });
  const none = new URLSearchParams();
  return [
    page('/', 'My tasks'),
    page('/inbox', 'Inbox'),
    ...reader.workflows.flatMap((workflow) => [
      { href: boardPath(workflow, none), name: workflow.name, kind: 'Board' },
      { href: listPath(workflow, none), name: workflow.name, kind: 'List' },
      ...(workspace.permissions.permissionsOf(user.id, workflow.id).creates
        ? [{ href: newTaskPath(workflow), name: workflow.name, kind: 'New task' }]
        : []),
    ]),
    ...(reader.administers ? pagesFor(reader.administers) : []).map(({ path, title: name }) => ({
      href: adminPath(path),
      name,
      kind: 'Administration',
    })),
    page('/account', 'Account'),
    ...reader.views.map(({ id, name, workflow }) => ({
      href: viewPath(id),
      name,
      kind: `View in ${workflow.name}`,
    })),
  ];
}

const tasksIn = ({ workflow, tasks }: TaskMatches): Option[] =>
  tasks.map((task) => ({
    href: taskPath(workflow, task),
    name: calledIn(workflow, task),
    kind: workflow.name,
  }));

function Options({ words, options }: { readonly words: string; readonly options: readonly Option[] }): VNode {
  return (
    <turbo-frame id="palette">
      <p class="visually-hidden" data-found data-words={words}>
        {plural(options.length, 'result')}
      </p>
      <ul>
        {options.map(({ href, name, kind }) => (
          <li>
            <a class="row" href={href}>
              <span>{name}</span> <span class="muted">{kind}</span>
            </a>
          </li>
        ))}
      </ul>
    </turbo-frame>
  );
}
