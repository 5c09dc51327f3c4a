import Type from 'typebox';
import { type RecordedEvent } from '../../../events/events.repository.js';
import { say } from '../../../common/message.js';
import { refers } from '../../../workflows/model/marks.js';
import { each, oneOrMany, triggerType, type TriggerType } from '../trigger.js';

/** Creating a task counts as entering its first stage. */
export const stageEntered = stageTrigger({
  title: 'A task enters a stage',
  description: 'The task was moved to the stage, or created in it.',
  verb: 'became',
  types: ['task.created', 'task.updated'],
  stageIn: ({ stageTo }) => stageTo,
});

export const stageLeft = stageTrigger({
  title: 'A task leaves a stage',
  description: 'The task was moved from the stage to another.',
  verb: 'was',
  types: ['task.updated'],
  stageIn: ({ stageFrom }) => stageFrom,
});

interface StageTrigger {
  readonly title: string;
  readonly description: string;
  readonly verb: 'became' | 'was';
  readonly types: readonly string[];
  /** Returns the stage that the trigger compares; null if the event has none. */
  readonly stageIn: (event: RecordedEvent) => number | null;
}

function stageTrigger({ title, description, verb, types, stageIn }: StageTrigger): TriggerType {
  const settings = Type.Object(
    {
      stage: Type.Optional(
        Type.String({ ...refers('stage'), title: 'Stage', description: 'A stage of this workflow.' }),
      ),
      stages: Type.Optional(
        oneOrMany({
          ...refers('stage'),
          title: 'Stages',
          description: 'Stages of this workflow, any of which matches.',
        }),
      ),
    },
    { title, description, examples: [{ stage: 'In Review' }] },
  );
  return triggerType(settings, {
    types,
    check(rule, _scope, report) {
      if ((rule.stage === undefined) === (rule.stages === undefined))
        report(rule, 'stage', 'is required unless `stages` is given; write only one');
    },
    compile({ stage, stages }, workflow) {
      const wanted = new Set([...each(stage), ...each(stages)]);
      const ids = workflow.schema.stages.all.filter(({ name }) => wanted.has(name)).map(({ id }) => id);
      return ({ event, names }) => {
        const id = stageIn(event);
        if (id === null) return { isMet: false, because: 'the stage did not change' };
        const name = names.stageOf(workflow.id, id) ?? '';
        const because = verb === 'became' ? say`Stage became ${name}` : say`Stage was ${name}`;
        return { isMet: ids.includes(id), because };
      };
    },
  });
}
