import { type BulkOutcome } from '../../executions/bulk-edits.js';
import { plural } from '../parts/number.js';
import { type OperatorName } from '../../schema/filters.js';

/** What the pages say in English of filters and views. */
export const listsEn = {
  quick: 'Quick filters',
  me: 'Me',
  open: 'Open only',
  apply: 'Apply',
  from: 'from',
  to: 'to',
  fromOf: (name: string) => `${name}, from`,
  toOf: (name: string) => `${name}, to`,
  contains: (name: string) => `${name} contains`,
  cardFields: 'Fields',
  /** What a filter asks for, as the chip above a list says it. */
  operators: {
    eq: (name, value) => `${name} is ${value}`,
    ne: (name, value) => `${name} is not ${value}`,
    gt: (name, value, isTime) => `${name} ${isTime ? 'after' : 'above'} ${value}`,
    gte: (name, value) => `${name} from ${value}`,
    lt: (name, value, isTime) => `${name} ${isTime ? 'before' : 'below'} ${value}`,
    lte: (name, value) => `${name} up to ${value}`,
    contains: (name, value) => `${name} contains ${value}`,
  } satisfies OperatorWords as OperatorWords,
  assigned: (name: string) => `Assigned to ${name}`,
  nobodyThere: 'nobody',
  blank: 'empty',
  or: (values: readonly string[]) => values.join(' or '),
  ofLinked: (link: string, name: string) => `${link}’s ${name}`,
  withWords: (words: string) => `With the words “${words}”`,
  sortedBy: (keys: readonly string[]) => `Sorted by ${keys.join(', then ')}`,
  downwards: (name: string) => `${name}, descending`,
  isNotOverdue: 'Not overdue',
  isOverdueBy: (clock: string) => `Overdue by the clock ${clock}`,
  isEnded: 'Finished only',
  bulk: {
    title: 'Selected tasks',
    /** Behind their number. */
    selected: 'selected',
    all: 'Select all on this page',
    assign: 'Assign to',
    move: 'Move to',
    set: 'Set a field',
    run: 'Run an action',
    asksMore: 'asks for values: one task at a time',
    clear: 'Clear',
    runOn: (action: string, count: number) => `${action}: ${plural(count, 'task')}`,
    none: 'No task is selected. Tick the boxes of the tasks to change.',
    nothing: 'Choose what to do with the selected tasks.',
    tooMany: (most: number) => `At most ${most} tasks can be changed at a time.`,
    gone: 'A task that is no longer here, or that you cannot see',
    stale: 'not changed, because somebody else changed it; its current values are shown',
    kinds: {
      changed: (count: number) => `${count} changed`,
      unchanged: (count: number) => `${count} unchanged`,
      running: (count: number) => (count === 1 ? '1 is still running' : `${count} are still running`),
      refused: (count: number) => `${count} refused`,
    } satisfies Record<BulkOutcome['became'], (count: number) => string>,
  },
  views: {
    title: 'Views',
    in: (workflow: string) => `in ${workflow}`,
  },
};

type OperatorWords = Readonly<Record<OperatorName, (name: string, value: string, isTime: boolean) => string>>;
