import { actionsOf } from '../../../src/actions/action.js';
import { Scope } from '../../../src/workflows/model/scope.js';
import { type ActionContext } from '../../../src/actions/action-context.js';
import { type Workflow } from '../../../src/workflows/model/workspace.js';

/** A workflow with an action of these conditions. */
function scopeOf(conditions: readonly string[]): Scope {
  const each = conditions.map((when) => ({ when, message: 'must hold' }));
  const action = {
    id: 'close',
    name: 'Close',
    stages: [],
    requirements: { conditions: each },
    steps: [],
    settings: {},
  };
  const schema = { stages: { all: [] }, byName: new Map() };
  const workflow = { workspaceId: 1, actions: [action], schema } as unknown as Workflow;
  return new Scope(workflow);
}

/** Expressions that are dear to compile. */
const dear = Array.from({ length: 50 }, (_, index) =>
  Array.from({ length: 60 }, (_, term) => `task.Amount > ${index * 100 + term}.5`).join(' && '),
);

describe('the actions of a workflow', () => {
  // Rule: no definition keeps others from the event loop.
  it('are compiled once, one condition at a time, and let other work run in between', async () => {
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      counting = setImmediate(count);
    };
    let counting = setImmediate(count);
    const scope = scopeOf(dear);
    const [action] = await actionsOf(scope);
    clearImmediate(counting);
    expect(action?.expressions).toHaveLength(50);
    expect(rounds).toBeGreaterThan(3);
    expect((await actionsOf(scope))[0]).toBe(action);
  });

  // Rule: no 5xx, also where a definition was stored under other limits than those of today.
  it('count as unmet if a stored condition no longer compiles', async () => {
    const [action] = await actionsOf(scopeOf(['matches(task.Name, "a{600}")']));
    const told = action?.requirements.flatMap(({ unmet }) => unmet({} as ActionContext, undefined));
    expect(told).toMatchObject([{ message: 'must hold' }]);
  });
});
