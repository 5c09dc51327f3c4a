const claims = 'executions/claims.repository.js';
const finish = 'executions/finish-with-task.js';
const receivers = 'webhooks/receivers.repository.js';

const noReceiverFence = {
  file: 'database/leases.js',
  from: 'AND fence = $${next}',
  to: "AND ${table === 'webhook_receivers' ? `$${next}::integer > 0` : `fence = $${next}`}",
};

/** What is changed in the built service: `poison` injects a fault, each of the others takes one safeguard away. */
export const patches = {
  poison: [
    {
      file: 'executions/runner.js',
      from: 'done.push(await runStep(step, run));',
      to: "if (step.name === 'Poison') process.kill(process.pid, 'SIGKILL'); done.push(await runStep(step, run));",
    },
  ],
  'no-lease': [
    { file: claims, from: 'AND (e.lease_until IS NULL OR e.lease_until < clock_timestamp())', to: '' },
    { file: claims, from: 'OR o.lease_until > clock_timestamp()', to: '' },
    { file: claims, from: 'e.claims < $4', to: '$4::integer > 0' },
    { file: claims, from: 'e.claims >= $3', to: '$3::integer < 0' },
  ],
  'no-fence': [
    { file: claims, from: 'AND fence = $3 AND ${isOpen}', to: 'AND $3::integer > 0' },
    { file: finish, from: 'AND fence = $17 AND ${isOpen}', to: 'AND $17::integer > 0' },
    { file: finish, from: 'AND executions.fence = g.fence', to: '' },
    { file: finish, from: 'AND executions.${isOpen}', to: '' },
  ],
  'no-receiver-fence': [noReceiverFence],
  'no-receiver-lease': [
    { file: receivers, from: 'WHERE r.lease_until IS NULL OR r.lease_until < clock_timestamp()', to: '' },
    { file: receivers, from: 'AND r.lease_until > clock_timestamp()', to: 'AND false' },
    noReceiverFence,
  ],
  'position-apart': [
    {
      file: 'followers/follow-turn.js',
      from: 'const rings = [];',
      to: 'const rings = []; await movePosition(dataSource.manager, claimed, rows.at(-1).position);',
    },
    {
      file: 'followers/follow-turn.js',
      from: 'if (!await movePosition(tx, claimed, last))',
      to: 'if (!last)',
    },
  ],
  'chain-of-one': [{ file: 'rules/follow-rule.js', from: '...chain,', to: '...[],' }],
  'fires-unread': [
    {
      file: 'clocks/fire-clock.js',
      from: 'await readChanges(tx, key, String(oldest), fieldIds, MOST_FOLDED)',
      to: '[]',
    },
  ],
  'folds-apart': [
    {
      file: 'clocks/fire-clock.js',
      from: 'String(oldest)',
      to: 'clocks.find(({ clockId }) => clockId === key.clockId).eventPlace',
    },
  ],
  'forgets-consumed': [
    {
      file: 'calendars/fold-clock.js',
      from: 'clock, withBudget(row, budget), at,',
      to: 'clock, withBudget({ ...row, countedFrom: at }, budget), at,',
    },
  ],
  'no-sweeper': [
    {
      file: 'jobs/kinds/execution.js',
      from: 'return dueExecutions(parts.db, unheardMs, limit)',
      to: 'return []',
    },
  ],
  'no-cap': [
    { file: claims, from: 'e.claims < $4', to: '$4::integer > 0' },
    { file: claims, from: 'e.claims >= $3', to: '$3::integer < 0' },
  ],
  'no-second-check': [
    {
      file: 'executions/claimed-task.js',
      from: 'if (unmet.length > 0) throw',
      to: 'if (unmet.length < 0) throw',
    },
  ],
  'no-end-of-failures': [{ file: 'executions/runner.js', from: 'if (failure)', to: 'if (!error)' }],
  'awaits-redis': [
    {
      file: 'executions/executions.service.js',
      from: 'if (entered) this.tell(',
      to: 'if (entered) await ((job) => this.doorbell.ring(executionJob, job))(',
    },
    { file: 'ops/doorbell.js', from: 'this.hear(kind, job);', to: 'return this.hear(kind, job);' },
    { file: 'jobs/job-runner.js', from: 'this.tell({', to: 'return this.tell({' },
    { file: 'jobs/job-runner.js', from: 'this.queue.add(job,', to: 'return this.queue.add(job,' },
    {
      file: 'jobs/job-queue.js',
      from: 'add(job, here) {',
      to: 'add(job, here) { if (this.queue) return this.queue.add(job);',
    },
  ],
  'trusts-the-queue': [
    { file: claims, from: 'AND e.${isOpen}', to: '' },
    { file: claims, from: 'AND fence = $3 AND ${isOpen}', to: 'AND fence = $3' },
    { file: finish, from: 'AND fence = $17 AND ${isOpen}', to: 'AND fence = $17' },
    { file: finish, from: 'AND executions.${isOpen}', to: '' },
    { file: claims, from: 'e.claims < $4', to: '$4::integer > 0' },
  ],
  'writes-the-copy': [
    {
      file: 'executions/runner.js',
      from: '= await validateClaimed(db, scope, claimed, task);',
      to: '= await validateClaimed(db, scope, claimed, task); for (const [field, value] of Object.entries(claimed.task?.fieldValues ?? {})) change.set.set(field, value);',
    },
  ],
};
