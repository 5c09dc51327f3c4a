import { type VNode } from 'preact';
import { listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/empty.js';
import { Icon } from '../parts/icon.js';
import { Sayings, said } from '../parts/sayings.js';
import { patternOfWords } from '../parts/marked.js';
import { TaskInLine } from '../parts/task-line.js';
import { type SignedIn } from '../reader.js';
import { taskPath } from '../task-shown.js';
import { titleProperty } from '../../task-store/task-title.js';
import { type TaskMatches } from '../../tasks/list/task-searches.js';

/** Tasks that are looked for, by workflow. */
export function SearchPage({ to, search }: SearchProps): VNode {
  const { words } = to;
  return (
    <ConsolePage to={to} title={words.search.title}>
      <header class="page-head stack gap-1">
        <h1>{words.search.title}</h1>
      </header>
      <search class="search-page">
        <form
          action="/search"
          data-controller="typing"
          data-action="input->typing#wait turbo:submit-start->typing#sent turbo:before-visit@document->typing#visit"
          data-turbo-frame="found"
          data-turbo-action="replace"
        >
          <label class="visually-hidden" for="search-words">
            {words.search.label}
          </label>
          <input
            id="search-words"
            type="search"
            name="q"
            value={search.words}
            maxLength={200}
            placeholder={words.search.label}
            autocomplete="off"
            autofocus
          />
          <button type="submit">
            <Icon name="search" /> {words.search.button}
          </button>
        </form>
      </search>
      <turbo-frame id="found" target="_top">
        <Results to={to} search={search} />
      </turbo-frame>
    </ConsolePage>
  );
}

interface SearchProps {
  readonly to: SignedIn;
  readonly search: Search;
}

/** What was asked for, and what was found of it. */
export interface Search {
  readonly words: string;
  readonly found: readonly TaskMatches[];
  /** The place among the workflows from which the next page goes on, if there are more. */
  readonly next: number | undefined;
}

function Results({ to, search: { words: asked, found, next } }: SearchProps): VNode {
  const { search: words } = to.words;
  if (asked === '') return <p class="muted">{words.help}</p>;
  const faults = [...new Set(found.flatMap((each) => each.faults))];
  const hits = found.filter(({ tasks }) => tasks.length > 0);
  const unsearched = found.filter(({ workflow }) => !workflow.schema.isSearched);
  const count = hits.reduce((sum, { tasks }) => sum + tasks.length, 0);
  return (
    <>
      <p class="visually-hidden" data-found>
        {words.count(count)}
      </p>
      {faults.length > 0 && (
        <div class="notice bad">
          <Icon name="warning" />
          <Sayings all={faults.map(said)} />
        </div>
      )}
      {hits.map((each) => (
        <Group to={to} found={each} asked={asked} />
      ))}
      {hits.length === 0 && (
        <Empty icon="search" title={words.nothing(asked)}>
          {words.nothingMore}
        </Empty>
      )}
      {unsearched.length > 0 && (
        <p class="muted small">
          {words.onlyById}{' '}
          {unsearched.map(({ workflow }, at) => (
            <>
              {at > 0 && ', '}
              <a href={listPath(workflow, new URLSearchParams())}>{workflow.name}</a>
            </>
          ))}
        </p>
      )}
      {next !== undefined && (
        <p class="more">
          <a href={`/search?${new URLSearchParams({ q: asked, from: String(next) }).toString()}`}>
            {words.further}
          </a>
        </p>
      )}
    </>
  );
}

function Group({ to, found: { workflow, tasks, hasMore }, asked }: GroupProps): VNode {
  const found = patternOfWords(workflow, asked);
  const id = `found-${workflow.slug}`;
  const { isSearched, properties } = workflow.schema;
  const title = titleProperty(properties)?.name ?? '';
  const all = new URLSearchParams({ [isSearched ? '_search' : `${title}[contains]`]: asked });
  return (
    <section class="group" aria-labelledby={id}>
      <h2 id={id}>{workflow.name}</h2>
      <ul class="rows">
        {tasks.map((task) => (
          <li id={`task-${task.publicId}`}>
            <a class="row" href={taskPath(workflow, task)}>
              <TaskInLine to={to} workflow={workflow} task={task} found={found} />
            </a>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p class="more">
          <a href={listPath(workflow, all)}>{to.words.search.all(workflow.name)}</a>
        </p>
      )}
    </section>
  );
}

interface GroupProps {
  readonly to: SignedIn;
  readonly found: TaskMatches;
  readonly asked: string;
}
