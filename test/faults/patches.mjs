const ledger = 'executions/executions.repository.js';
const atOnce = 'executions/fast-path.js';
const due = 'executions/due-executions.js';

/** What is changed in the built service: `poison` injects a fault, each of the others takes one safeguard away. */
export const patches = {
  poison: [
    {
      file: 'executions/run-steps.js',
      from: 'await runStep(step, run);',
      to: "if (step.name === 'Poison') process.kill(process.pid, 'SIGKILL'); await runStep(step, run);",
    },
  ],
  'no-lease': [
    { file: ledger, from: 'AND (e.lease_until IS NULL OR e.lease_until < clock_timestamp())', to: '' },
    { file: ledger, from: 'OR o.lease_until > clock_timestamp()', to: '' },
    { file: ledger, from: 'e.claims < $4', to: '$4::integer > 0' },
    { file: due, from: 'e.claims >= $3', to: '$3::integer < 0' },
  ],
  'no-fence': [
    { file: ledger, from: 'AND fence = $3 AND ${isOpen}', to: 'AND $3::integer > 0' },
    { file: atOnce, from: 'AND fence = $15 AND ${isOpen}', to: 'AND $15::integer > 0' },
  ],
  'no-sweeper': [
    {
      file: 'executions/sweeper.js',
      from: 'await dueExecutions(manager, this.unheardMs, limit)',
      to: 'await Promise.resolve([])',
    },
  ],
  'no-cap': [
    { file: ledger, from: 'e.claims < $4', to: '$4::integer > 0' },
    { file: due, from: 'e.claims >= $3', to: '$3::integer < 0' },
  ],
  'no-second-judgement': [
    {
      file: 'executions/claimed-task.js',
      from: 'if (unmet.length > 0) throw',
      to: 'if (unmet.length < 0) throw',
    },
  ],
  'no-end-of-failures': [
    { file: 'executions/execution-runner.js', from: 'if (error instanceof Failure)', to: 'if (!error)' },
  ],
  'awaits-redis': [
    {
      file: 'executions/executions.service.js',
      from: 'this.dispatcher.announce(',
      to: 'await ((key) => this.dispatcher.bell.queue.add(key))(',
    },
  ],
  'trusts-the-bell': [
    { file: ledger, from: 'AND e.${isOpen}', to: '' },
    { file: ledger, from: 'AND fence = $3 AND ${isOpen}', to: 'AND fence = $3' },
    { file: atOnce, from: 'AND fence = $15 AND ${isOpen}', to: 'AND fence = $15' },
    { file: ledger, from: 'e.claims < $4', to: '$4::integer > 0' },
  ],
  'writes-the-copy': [
    {
      file: 'executions/execution-runner.js',
      from: 'change: emptyChange(),',
      to: 'change: { ...emptyChange(), set: new Map(Object.entries(claimed.task?.fieldValues ?? {})) },',
    },
  ],
};
