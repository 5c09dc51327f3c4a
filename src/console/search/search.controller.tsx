import { Get } from '@nestjs/common';
import { type Reply } from '../../common/reply.js';
import { AskedHere, type AskedOfPages, Pages, readerScope } from '../console-controller.js';
import { pageReply } from '../page.js';
import { TaskSearches, type TaskMatches } from '../../tasks/list/task-searches.js';
import { type VNode } from 'preact';
import { listPath } from '../board/addresses.js';
import { ConsolePage } from '../layout.js';
import { Empty } from '../parts/notices.js';
import { Icon } from '../parts/icon.js';
import { Sayings } from '../parts/sayings.js';
import { TaskInLine } from '../parts/task-line.js';
import { Section } from '../parts/section.js';
import { taskPath } from '../task-shown.js';
import { titleProperty } from '../../workflows/fields/task-title.js';
import { plural } from '../../common/wording.js';

@Pages('search')
export class SearchController {
  constructor(private readonly searches: TaskSearches) {}

  @Get()
  async page(@AskedHere() asked: AskedOfPages): Promise<Reply> {
    const words = (asked.query.get('q') ?? '').trim();
    const { reader, request } = asked;
    const scopes = words === '' ? [] : reader.workflows.map((each) => readerScope(reader, request, each));
    return pageReply(<SearchPage words={words} found={await this.searches.inAll(scopes, words)} />);
  }
}

function SearchPage(search: Search): VNode {
  return (
    <ConsolePage title="Search">
      <header class="page-head stack gap-1">
        <h1>Search</h1>
      </header>
      <search class="search-page">
        <form action="/search">
          <label class="visually-hidden" for="search-words">
            Search tasks by ID or words
          </label>
          <input
            id="search-words"
            type="search"
            name="q"
            value={search.words}
            maxLength={200}
            placeholder="Search tasks by ID or words"
            autocomplete="off"
            autofocus
          />
          <button type="submit">
            <Icon name="search" /> Search
          </button>
        </form>
      </search>
      <div id="found">
        {search.words === '' ? (
          <p class="muted">
            Enter the ID of a task or words from its texts. The beginning of a word is enough.
          </p>
        ) : (
          <Results {...search} />
        )}
      </div>
    </ConsolePage>
  );
}

interface Search {
  readonly words: string;
  readonly found: readonly TaskMatches[];
}

function Results({ words, found }: Search): VNode {
  const faults = [...new Set(found.flatMap((each) => each.faults))];
  const hits = found.filter(({ tasks }) => tasks.length > 0);
  const count = hits.reduce((sum, { tasks }) => sum + tasks.length, 0);
  return (
    <>
      <p class="visually-hidden" data-found>
        {plural(count, 'task')}
      </p>
      {faults.length > 0 && (
        <div class="notice bad">
          <Icon name="warning" />
          <Sayings all={faults} />
        </div>
      )}
      {hits.map((each) => (
        <Group found={each} words={words} />
      ))}
      {hits.length === 0 && (
        <Empty icon="search" title={`No task matches “${words}”`}>
          Try fewer words, or only the beginning of a word.
        </Empty>
      )}
    </>
  );
}

function Group({ found: { workflow, tasks, hasMore }, words }: GroupProps): VNode {
  const { isSearched, properties } = workflow.schema;
  const title = titleProperty(properties)?.name ?? '';
  const all = new URLSearchParams({ [isSearched ? '_search' : `${title}[contains]`]: words });
  return (
    <Section class="group" id={`found-${workflow.slug}`} title={workflow.name}>
      <ul class="rows">
        {tasks.map((task) => (
          <li id={`task-${task.publicId}`}>
            <a class="row" href={taskPath(workflow, task)}>
              <TaskInLine workflow={workflow} task={task} />
            </a>
          </li>
        ))}
      </ul>
      {hasMore && (
        <p class="more">
          <a href={listPath(workflow, all)}>All in {workflow.name}</a>
        </p>
      )}
    </Section>
  );
}

interface GroupProps {
  readonly found: TaskMatches;
  readonly words: string;
}
