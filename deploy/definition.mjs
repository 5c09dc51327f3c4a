// Plans or applies a definition by HTTP in a pipeline: node definition.mjs plan|apply FILE [--prune] [--allow-data-loss]
// [--fire-overdue] [--comment]. Needs Node.js 20 and nothing else; WTS_URL and WTS_KEY name the service and a key of
// scope admin. Prints Markdown, which --comment also writes to the pull or merge request that the pipeline is for.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';

const { env } = process;
const flags = ['prune', 'allow-data-loss', 'fire-overdue'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: Object.fromEntries([...flags, 'comment'].map((name) => [name, { type: 'boolean' }])),
});
const [command, file] = positionals;

if (!['plan', 'apply'].includes(command) || !file || !env.WTS_URL || !env.WTS_KEY) {
  console.error('WTS_URL=… WTS_KEY=… node definition.mjs plan|apply FILE');
  process.exit(1);
}

const { isRefused, text } = await change();
console.log(text);
if (values.comment) await comment(`${mark()}\n${text}`);
process.exitCode = isRefused ? 1 : 0;

/** Asks the service, and tells in Markdown what it says. */
async function change() {
  const query = new URLSearchParams(flags.filter((name) => values[name]).map((name) => [name, 'true']));
  const answer = await ask(`${env.WTS_URL.replace(/\/*$/, '')}/api/v1/definition/${command}?${query}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${env.WTS_KEY}`, 'Content-Type': 'application/yaml' },
    body: await readFile(file),
  });
  const { status, body } = answer;
  if (status === 422 && body.faults) return { isRefused: true, text: faultsText(body.faults) };
  const plan = status === 422 && body.plan ? body.plan : body;
  if (!plan.changes) throw new Error(`${env.WTS_URL} answers ${status}: ${JSON.stringify(body)}`);
  return { isRefused: plan.refusals.length > 0, text: planText(plan) };
}

function faultsText(faults) {
  const lines = faults.map(({ path, line, message }) =>
    [`${file}${line ? `:${line}` : ''}`, ...(path ? [path] : []), message].join(': '),
  );
  return `**${file} is refused**\n\n${fenced('', lines)}`;
}

function planText({ workspace, version, changes, effects, warnings, refusals }) {
  const signs = { add: '+', remove: '-', change: '!', rename: '!' };
  const lines = changes.flatMap(({ kind, what, name, detail = '', alterations = [] }) => [
    `${signs[kind]} ${kind} ${what} ${name} ${kind === 'rename' ? `to ${detail}` : detail}`.trimEnd(),
    ...alterations.map(({ at, before, after, relaxes }) =>
      `#   ${at}: ${shown(before)} → ${shown(after)}${relaxes ? ' (no longer asked for)' : ''}`), // prettier-ignore
    ...effects
      .filter((effect) => effect.what === what && effect.name === name)
      .map(({ kind, message }) => `${kind === 'notes' ? '#' : '-'}   ${message}`),
  ]);
  const done = command === 'apply' && refusals.length === 0 ? 'applied' : 'would apply';
  const head =
    changes.length === 0
      ? `**${file}**: no changes, workspace ${workspace} is up to date`
      : `**${file}** ${done} to workspace ${workspace} (version ${version}): ${changes.length} change${changes.length === 1 ? '' : 's'}`;
  return [
    head,
    ...(lines.length > 0 ? [fenced('diff', lines)] : []),
    ...(warnings.length > 0 ? ['Warnings:', fenced('', warnings.map(({ path, message }) => `${path}: ${message}`))] : []), // prettier-ignore
    ...(refusals.length > 0
      ? ['**Refused**, as it would lose something of tasks:', fenced('', refusals)]
      : []),
  ].join('\n\n');
}

const shown = (value) => (value === undefined ? '(nothing)' : JSON.stringify(value));

/** Lines as they are: no text of a definition ends the fence, or is Markdown. */
function fenced(language, lines) {
  const text = lines.join('\n');
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  return `${fence}${language}\n${text}\n${fence}`;
}

/** One comment for each file: a later plan takes the place of the one before. */
function mark() {
  return `<!-- definition ${encodeURIComponent(file)} -->`;
}

async function comment(body) {
  const place = env.GITLAB_CI ? gitlab() : await github();
  if (!place) return console.error('There is no pull or merge request to comment on.');
  const { notes, noteOf, headers, verb } = place;
  const known = await ask(`${notes}?per_page=100`, { headers });
  const mine = known.body.find?.((note) => note.body.startsWith(mark()));
  const at = mine ? noteOf(mine.id) : notes;
  const { status } = await ask(at, {
    method: mine ? verb : 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify({ body }),
  });
  if (status >= 300) throw new Error(`${at} answers ${status}`);
}

function gitlab() {
  const { CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID, GITLAB_TOKEN } = env;
  if (!CI_MERGE_REQUEST_IID) return undefined;
  const notes = `${CI_API_V4_URL}/projects/${CI_PROJECT_ID}/merge_requests/${CI_MERGE_REQUEST_IID}/notes`;
  return { notes, noteOf: (id) => `${notes}/${id}`, verb: 'PUT', headers: { 'PRIVATE-TOKEN': GITLAB_TOKEN } };
}

async function github() {
  const { GITHUB_API_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH, GITHUB_TOKEN } = env;
  const event = GITHUB_EVENT_PATH ? JSON.parse(await readFile(GITHUB_EVENT_PATH, 'utf8')) : {};
  if (!event.pull_request) return undefined;
  const issues = `${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/issues`;
  return {
    notes: `${issues}/${event.pull_request.number}/comments`,
    noteOf: (id) => `${issues}/comments/${id}`,
    verb: 'PATCH',
    headers: { Authorization: `Bearer ${GITHUB_TOKEN}`, Accept: 'application/vnd.github+json' },
  };
}

async function ask(address, request) {
  const answer = await fetch(address, request);
  return { status: answer.status, body: await answer.json().catch(() => ({})) };
}
