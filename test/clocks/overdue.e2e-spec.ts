import { startServiceWith } from '../support/service.js';

// `overdue("review")` in requirements and steps; `_overdue=<clock>` in lists.
const tickets = '/api/v1/workflows/tickets/tasks';

const definition = (when: string, rules = ''): string => `
workspace: { id: acme, name: Acme }
workflows:
  - id: tickets
    name: Tickets
    stages: [{ name: Review }, { name: Waiting }, { name: Done, end: true }]
    fields:
      - { name: ID, type: uniqueId, required: true }
      - { name: Late, type: checkbox }
      - { name: Close By, type: date }
    actions:
      - id: escalate
        name: Escalate
        requirements: { conditions: [{ when: '${when}', message: Nothing is late }] }
        steps: [{ name: Note, type: update_fields, set: { Late: { expression: 'overdue() && !overdue("review")' } } }]
    clocks:
      - { id: review, starts: { stages: [Review] }, pauses: { stages: [Waiting] }, budget: 10 hours }
      - { id: close, due: { field: Close By } }
    ${rules}
`;

const { service, api } = await startServiceWith(definition('overdue("close")'));

async function closes(id: string, day: string): Promise<void> {
  await api.post(tickets, { ID: id, 'Close By': day }).expect(200);
  await service.settle();
}

it('a requirement asks whether a clock is overdue, and a step asks which clock is', async () => {
  await api.post(tickets, { ID: '1' }).expect(201);
  await closes('1', '2099-01-01');
  const actions = `${tickets}/1/actions`;
  expect(await api.read(`${actions}?_explain=true`)).toMatchObject([{ unmet: ['Nothing is late'] }]);
  const escalation = { task_id: '1', action_id: 'escalate' };
  await api.post('/api/v1/workflows/tickets/executions', escalation).expect(422);
  await closes('1', '2020-01-01');
  expect(await api.read(`${actions}?_explain=true`)).toMatchObject([{ unmet: [] }]);
  await api.post('/api/v1/workflows/tickets/executions', escalation).expect(202);
  await service.settle();
  expect(await api.read(`${tickets}/1`)).toMatchObject({ Late: true });
});

it('a clock that is paused after its end remains overdue', async () => {
  await api.post(tickets, { ID: '2' }).expect(201);
  await service.settle();
  await service.settle({ after: 11 * 3_600_000 });
  await api.post(tickets, { ID: '2', Stage: 'Waiting' }).expect(200);
  await service.settle();
  expect(await api.read(`${tickets}/2/clocks`)).toMatchObject([{ overdue: true }]);
  expect(await api.read(`${tickets}?_overdue=review&_fields=ID&Stage=Waiting`)).toEqual([{ ID: '2' }]);
});

it('an unknown clock is refused: by 422 in lists, and by apply in expressions', async () => {
  const { body } = await api.get(`${tickets}?_overdue=revue`).expect(422);
  expect(body).toEqual({
    errors: { _overdue: ['is not true, false or a clock of this workflow; it has: review, close'] },
  });
  await expect(service.apply(definition('overdue("reviw")'))).rejects.toThrow(
    /asks for an unknown clock of workflow tickets: reviw; did you mean review\?/,
  );
});

it('rules cannot ask for overdue clocks, because rules judge the task as the event left it', async () => {
  const rule = `rules: [{ id: late, on: created, run: escalate, when: 'overdue("review")' }]`;
  await expect(service.apply(definition('true', rule))).rejects.toThrow(
    /rules\[0\]\.when: is not an expression: overdue\(\) is available only in requirements and steps/,
  );
});
