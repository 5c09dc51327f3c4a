import { actionsOf } from '../../../src/actions/action.js';
import { type Workflow } from '../../../src/workspace/workspace.js';

/** A workflow with an action of this many conditions, each dear to compile. */
function workflowOf(conditions: number): Workflow {
  const each = Array.from({ length: conditions }, (_, index) => ({
    when: Array.from({ length: 100 }, (_, term) => `task.Amount > ${index * 100 + term}.5`).join(' && '),
    message: 'must hold',
  }));
  const action = { id: 'close', name: 'Close', stages: [], requirements: { conditions: each }, steps: [] };
  const schema = { stages: { all: [] }, byName: new Map() };
  return { workspaceId: 1, actions: [action], schema } as unknown as Workflow;
}

describe('the actions of a workflow', () => {
  // Rule: no definition keeps others from the event loop.
  it('are compiled in turns with others, each condition by itself, and once', async () => {
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const workflow = workflowOf(50);
    const [action] = await actionsOf(workflow);
    clearImmediate(counting);
    expect(action?.expressions).toHaveLength(50);
    expect(rounds).toBeGreaterThan(3);
    expect((await actionsOf(workflow))[0]).toBe(action);
  });
});
