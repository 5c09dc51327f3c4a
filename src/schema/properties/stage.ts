import { listed } from '../../lib/quote.js';
import { Invalid } from '../invalid.js';
import { type Property } from '../property.js';
import { type Stage, type Stages } from '../task-schema.js';

/** What is said of a name that no stage has. */
export const notAStage = ({ all }: Stages): string =>
  `is not a stage of this workflow; it has: ${listed(all.map(({ name }) => name))}`;

const byAction = new Invalid('is entered by an action');

/** The key `Stage`: the name of a stage of the workflow. */
export function stageProperty(stages: Stages): Property {
  const find = (name: unknown): Stage | Invalid =>
    (typeof name === 'string' ? stages.named(name) : undefined) ?? new Invalid(notAStage(stages));
  return {
    name: 'Stage',
    read(input, change) {
      const stage = find(input);
      if (stage instanceof Invalid) return stage;
      change.stageId = stage.id;
      return undefined;
    },
    bars(input, change) {
      const stage = find(input);
      if (stage instanceof Invalid || stage.enter !== 'by_actions') return undefined;
      change.staysIn = stage.id;
      return byAction;
    },
    repeats: (input, task) => input === stages.get(task.stageId).name,
    isInitial: (input) => input === stages.initial.name,
    serialize: (task) => stages.get(task.stageId).name,
    filter: {
      subject: { of: 'stage' },
      order: { by: 'rank', ranks: stages.all.map(({ id }) => id) },
      parse(text) {
        const stage = find(text);
        return stage instanceof Invalid ? stage : stage.id;
      },
    },
  };
}
