import { type Message } from '../../../src/common/message.js';
import { readDefinition } from '../../../src/workflows/definition/source/read-definition.js';
import { reportTo, scopeOf } from '../../../src/workflows/model/check/kit.js';
import { checkInSteps } from '../../../src/webhooks/check-webhook.js';

// Rule: nothing keeps the event loop busy for more than some milliseconds at a time, however many workflows there are.
describe('a webhook', () => {
  const ids = Array.from({ length: 40 }, (_, at) => `w${at}`);
  const fields = [{ name: 'ID', type: 'uniqueId', required: true }];
  const workflows = ids.map((id) => ({ id, name: id, stages: [{ name: 'New' }], fields }));
  const { definition } = readDefinition(JSON.stringify({ workspace: { id: 'acme' }, workflows }), 'f');

  function checked(when: string): { readonly steps: number; readonly faults: Message[] } {
    const webhook = { id: 'x', url: 'https://a.test/', events: [], include: 'changes' as const, when };
    const faults: Message[] = [];
    const steps = checkInSteps(
      webhook,
      scopeOf(definition),
      reportTo((_holder, _key, message) => faults.push(message)),
    );
    return { steps: [...steps].length, faults };
  }

  it('is checked against one workflow at a time, in turns with other work, if it names unknown fields', () => {
    expect(checked('task["Amount"] > 0')).toEqual({
      steps: ids.length,
      faults: [expect.stringContaining('Amount')],
    });
  });

  it('that fits the first workflow is not looked at any further', () => {
    expect(checked('task["ID"] != "1"')).toEqual({ steps: 1, faults: [] });
  });
});
