export interface Case {
  readonly name: string;
  /** The share of the floor's rate that the service must reach over 32 connections. */
  readonly target: number;
  readonly isWrite: boolean;
  /** The request with this number; a run uses each number once. */
  readonly request: (n: number) => string;
}

export const tasksPath = '/api/v1/workflows/cases/tasks';

/** Each path filters tasks by two fields, and finds some twenty of 100,000 tasks. */
function filteredPaths(tasks: number): string[] {
  const tiers = ['Platinum', 'Gold', 'Silver', 'Bronze', 'Basic'];
  return Array.from({ length: 200 }, (_, n) => {
    // Among fewer than 5,000 tasks, only the first tiers occur: one for each thousand tasks.
    const tier = tiers[n % Math.min(5, Math.max(1, Math.floor(tasks / 1000)))] ?? '';
    return `${tasksPath}?City=City%20${(n * 37) % 1000}&Tier=${tier}`;
  });
}

/** The cases in the order of the report, with writes last. */
export function makeCases(ask: Ask, tasks: number): Case[] {
  // Visits every task, in an order that no index has.
  const id = (n: number): string => `C-${((n * 7919) % tasks) + 1}`;
  const filteredRequests = filteredPaths(tasks).map((path) => ask('GET', path));
  const pageRequest = ask('GET', `${tasksPath}?_limit=100`);
  return [
    { name: 'read one', target: 1, isWrite: false, request: (n) => ask('GET', `${tasksPath}/${id(n)}`) },
    {
      name: 'filtered list',
      target: 0.9,
      isWrite: false,
      request: (n) => filteredRequests[n % filteredRequests.length] ?? '',
    },
    { name: 'list of 100', target: 0.9, isWrite: false, request: () => pageRequest },
    { name: 'create', target: 1, isWrite: true, request: (n) => ask('POST', tasksPath, newTask(n)) },
    {
      name: 'partial update',
      target: 1,
      isWrite: true,
      request: (n) => ask('PUT', tasksPath, changeOf(n, id(n))),
    },
  ];
}

export function newTask(n: number): object {
  return {
    'Case ID': `new-${n}`,
    'Assigned To': `user${n % 20}@bench.test`,
    Title: `New case number ${n} of the north-east district`,
    Notes: `The customer called about order ${n * 7} and wants an answer by Monday, in writing: “soon”.`,
    Priority: String((n % 9) + 1),
    Score: `${n % 97}.5`,
    Amount: `${(n % 9000) + 100}.25`,
    Phone: `+49 30 ${1_000_000 + n}`,
    'Due Date': `2026-0${(n % 9) + 1}-1${n % 10}`,
    'Last Contact': `2025-0${(n % 9) + 1}-1${n % 10}T08:30:00.000Z`,
    Owner: `user${(n * 3) % 20}@bench.test`,
    Tier: 'Gold',
    Regions: ['AMER', 'EMEA'],
    'Urgent?': n % 3 === 0,
    'E-mail': `customer${n}@example.org`,
    Website: `https://www.example.org/customers/${n}`,
    City: `City ${n % 1000}`,
  };
}

function changeOf(n: number, id: string): object {
  const stage = ['In Review', 'Waiting', 'Done'][n % 3];
  return { 'Case ID': id, Stage: stage, Amount: `${n % 8999}.75`, Score: `${n % 89}.25` };
}

/** Writes a request as it is sent, so that every compared program gets the same bytes. */
export type Ask = (method: string, path: string, body?: object) => string;

export function asker(key: string): Ask {
  return (method, path, body) => {
    const lines = [`${method} ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`];
    if (body === undefined) return [...lines, '', ''].join('\r\n');
    const text = JSON.stringify(body);
    const length = `Content-Length: ${Buffer.byteLength(text)}`;
    return [...lines, 'Content-Type: application/json', length, '', text].join('\r\n');
  };
}
