const kinds = ['one_to_one', 'one_to_many', 'many_to_one', 'many_to_many'];

/** A workflow `things` with a field of each type that a step can set, its copy `likes`, and links of every kind. */
export function everything(url: string): object {
  const own = [
    { name: 'Text', type: 'text' },
    { name: 'Long', type: 'longText' },
    { name: 'Number', type: 'number', decimals: 3 },
    { name: 'Price', type: 'currency' },
    { name: 'Phone', type: 'phone' },
    { name: 'Day', type: 'date' },
    { name: 'Moment', type: 'datetime' },
    { name: 'Owner', type: 'person' },
    { name: 'Tier', type: 'singleSelect', options: ['Gold', 'Silver'] },
    { name: 'Tags', type: 'multipleSelect', options: ['A', 'B'] },
    { name: 'Open?', type: 'checkbox' },
    { name: 'E-mail', type: 'email' },
    { name: 'Website', type: 'url' },
  ];
  const copies = own.map((field) => ({ ...field, name: `${field.name} 2` }));
  const move = { name: 'Move', type: 'move_to_stage', stage: 'Busy' };
  // Calls are held for longer than the default of 10 s where the machine is slow.
  const call = { name: 'Call', type: 'api_call', url: `${url}/{{ID}}`, timeout_seconds: 120 };
  const set = (name: string, set: object): object => ({ name, type: 'update_fields', set });
  const create = (relationship: string, set: object, side?: string): object => ({
    ...{ name: 'Create', type: 'create_linked_task', relationship, set },
    ...(side && { side }),
  });
  const fail = set('Fail', { 'Number 2': { expression: 'task["Number"] / 0' } });
  const look = { name: 'Add', type: 'add_checklist_items', items: [{ title: 'Look', stage: 'New' }] };
  const kinsfolk = { name: 'Kin', type: 'update_linked_tasks', relationship: 'kin', side: 'from' };
  const earlier: Readonly<Record<string, object>> = {
    move,
    assign: { name: 'Assign', type: 'assign', to: 'mina@acme.test' },
    fill: set('Fill', { Text: 'filled' }),
    create: create('one_to_many', { ID: 'undone' }),
    update: {
      name: 'Update',
      type: 'update_linked_tasks',
      relationship: 'one_to_many',
      set: { Text: 'told' },
    },
    items: look,
    call,
  };
  const actions: Readonly<Record<string, readonly object[]>> = {
    copy: [set('Copy', Object.fromEntries(own.map(({ name }) => [`${name} 2`, `{{${name}}}`])))],
    constants: [
      set('Constants', {
        Text: 'x', Number: 1.5, Price: 2, Day: '2026-02-28', Owner: 'MINA@acme.test', Tier: 'Gold', Tags: ['B'], 'Open?': true, Long: null,
      }), // prettier-ignore
    ],
    compute: [
      set('Compute', {
        Day: { expression: 'today()' },
        'Day 2': { expression: 'add_days(task["Day"], 30)' },
        'Number 2': { expression: 'round(task["Number"] * 3 / 7, 3)' },
        'Price 2': { expression: 'task["Price"] + 0.1' },
        'Open? 2': { expression: 'task["Price"] > 10 && performer == "mina@acme.test"' },
        'Tags 2': { expression: 'task["Tags"].filter(t, t != "A")' },
        'Text 2': { expression: 'task["Text"] + "!"' },
        'Long 2': { expression: 'task["Long"]' },
      }),
    ],
    chain: [
      set('First', { Number: { expression: 'task["Number"] + 1' } }),
      set('Second', { Number: { expression: 'task["Number"] * 2' } }),
      set('Third', { 'Number 2': '{{Number}}' }),
    ],
    number: [set('Number', { 'Number 2': '{{Text}}' })],
    required: [set('Required', { Must: '{{Text}}' })],
    type: [set('Type', { 'Number 2': { expression: 'task["Text"]' } })],
    'self-from': [create('kin', { ID: '{{ID}}-child', Text: 'child' }, 'from')],
    'self-to': [create('kin', { ID: '{{ID}}-parent', Text: 'parent' }, 'to')],
    count: [create('counted', {}), create('counted', {})],
    both: [
      create('one_to_many', {
        ...{ ID: '{{ID}}-new', Tags: '{{Tags}}', Price: '{{Price}}' },
        ...{ Stage: 'Busy', 'Assigned To': 'mina@acme.test' },
      }),
      { ...kinsfolk, relationship: 'one_to_many', side: undefined, set: { Text: 'all of {{ID}}' } },
    ],
    kin: [{ ...kinsfolk, set: { Text: 'kin of {{ID}}', Stage: 'Done', 'Assigned To': 'theo@acme.test' } }],
    'kin-refused': [{ ...kinsfolk, set: { Must: '{{Long}}' } }],
    take: [{ name: 'Take', type: 'assign', to: 'performer' }],
    free: [{ name: 'Free', type: 'assign', to: 'nobody' }],
    hand: [{ name: 'Hand over', type: 'assign', to: { field: 'many_to_one.Owner' } }],
    far: [
      set('Fill', {
        Text: '{{many_to_one.Text}} ({{many_to_one.Stage}}) {{many_to_one.Phone}}',
        Price: '{{many_to_one.Price}}',
      }),
      { ...call, url: `${url}/far/{{many_to_one.ID}}`, body: { price: '{{many_to_one.Price}}' } },
      { name: 'Say', type: 'comment', text: '{{many_to_one.ID}} was told' },
    ],
    items: [look],
    'items-call': [look, call],
    when: [
      {
        ...set('Note it', { Text: 'large', Number: { expression: 'task["Number"] - 1000' } }),
        when: 'task["Number"] > 1000',
      },
      { ...call, url: `${url}/when/{{ID}}`, when: 'task["Number"] > 500' },
      { ...move, stage: 'Done' },
    ],
    'when-raises': [
      { ...set('Never', { Text: 'never' }), when: 'task["Number"] < 0' },
      { ...set('Divide', { Text: 'divided' }), when: '1 / task["Number"] > 1' },
      move,
    ],
    delete: [set('Fill', { Text: 'last' }), { name: 'Delete', type: 'delete_task' }],
    gate: [call, move],
    append: [set('Append', { Long: { expression: 'task["Long"] + "."' } })],
    ...Object.fromEntries(
      kinds.map((kind) => [`link-${kind}`, [create(kind, { ID: '{{ID}}-{{Text}}', Text: 'new' })]]),
    ),
    ...Object.fromEntries(Object.entries(earlier).map(([id, step]) => [`undo-${id}`, [step, fail]])),
  };
  const fields = [{ name: 'ID', type: 'uniqueId', required: true }, { name: 'Must', type: 'text', required: true, default: 'm' }, { name: 'Fixed', type: 'text', editable: false }, ...own]; // prettier-ignore
  const stages = [{ name: 'New' }, { name: 'Busy' }, { name: 'Done', end: true }];
  const emails = ['mina@acme.test', 'theo@acme.test', 'gone@acme.test'];
  const items = [
    { title: 'First', stage: 'New' },
    { title: 'Second', stage: 'Busy' },
  ];
  const link = (id: string, kind: string, name: string, to: string, back: string): object => ({
    ...{ id, kind },
    from: { workflow: 'things', name },
    to: { workflow: to, name: back },
  });
  return {
    workspace: { id: 'acme', name: 'Acme' },
    users: emails.map((email) => ({ email })),
    workflows: [
      {
        ...{ id: 'things', name: 'Things', stages, checklist: [{ title: 'Own', stage: 'New' }] },
        fields: [...fields, ...copies, { name: 'Files', type: 'file', required: true }],
        roles: [
          { id: 'all', name: 'All', admin: true },
          { id: 'none', name: 'None', actions: [] },
        ],
        members: emails.map((email) => ({ email, role: 'all' })),
        actions: Object.entries(actions).map(([id, steps]) => ({
          ...{ id, name: id, steps },
          ...(id === 'gate' && { stages: ['New'] }),
        })),
      },
      { id: 'likes', name: 'Likes', stages, fields, checklist: items },
      {
        id: 'numbers',
        name: 'Numbers',
        stages,
        fields: [{ name: 'No', type: 'uniqueId', autoincrement: true }],
      },
    ],
    relationships: [
      ...kinds.map((kind) => link(kind, kind, kind, 'likes', `of ${kind}`)),
      link('kin', 'one_to_many', 'Children', 'things', 'Parent'),
      link('counted', 'many_to_many', 'Numbers', 'numbers', 'Things'),
    ],
  };
}
