import { Invalid } from '../invalid.js';
import { type Property } from '../property.js';
import { type Stage, type Stages } from '../task-schema.js';

/** The key `Stage`: the name of a stage of the workflow. */
export function stageProperty(stages: Stages): Property {
  const find = (name: unknown): Stage | Invalid =>
    (typeof name === 'string' ? stages.named(name) : undefined) ??
    new Invalid('is not a stage of this workflow');
  return {
    name: 'Stage',
    read(input, change) {
      const stage = find(input);
      if (stage instanceof Invalid) return stage;
      change.stageId = stage.id;
      return undefined;
    },
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
