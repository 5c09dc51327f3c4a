// Half of the tasks are odd, half are even: a condition on one half, combined with one on the other, matches nothing,
// and statistics do not show that.
const isOdd = 'i % 2 = 1';

/** A number below `below` that looks random, different for each `salt`. */
const random = (salt: number, below: number): string =>
  `(hashint4(i * 31 + ${salt}) & 2147483647) % ${below}`;

export const stages =
  '[{ name: Blue }, { name: Green }, { name: Yellow }, { name: Red, end: true }, { name: Black, end: true }]';

/** Even tasks are Blue; a tenth of the odd ones are at an end stage. */
export const stage = `CASE WHEN ${isOdd} THEN 2 + ${random(1, 20)} / 9 ELSE 1 END`;

/** Odd tasks belong to user 0; one in ten of the even ones is unassigned. */
export const assignee = `users.ids[CASE WHEN ${isOdd} THEN 1 WHEN i % 20 = 0 THEN NULL ELSE 2 + ${random(2, 19)} END]`;

/** The fields; `index` is added to those that allow an index. */
export const fields = (index: string): string => `[
    { name: ID, type: uniqueId, required: true },
    { name: Notes, type: longText },
    { name: City, type: text${index} },
    { name: Code, type: text },
    { name: Region, type: text },
    { name: Wing, type: text },
    { name: Batch, type: text },
    { name: Amount, type: number${index} },
    { name: Score, type: number },
    { name: Price, type: currency },
    { name: Due, type: date${index} },
    { name: Owner, type: person },
    { name: Kind, type: singleSelect, options: [A, B, C, D]${index} },
    { name: Phase, type: singleSelect, options: [open, shut] },
    { name: Tags, type: multipleSelect, options: [red, green, blue] },
    { name: 'Flag', type: checkbox },
    { name: Contact, type: email }]`;

/** The stored values of task `i` of `n`. */
export function scaleValues(n: number): Record<string, string> {
  const isFirst = `i <= ${n} / 100`;
  const isLast = `i > ${n} - ${n} / 100`;
  return {
    Notes: `'An order of the ' || CASE WHEN ${isOdd} THEN 'odd' ELSE 'even' END || ' kind, number ' || i
      || CASE WHEN ${random(3, 25_000)} = 0 THEN ' with a zebra' WHEN ${isLast} THEN ' of the finale' ELSE ', as agreed' END`,
    City: `'City ' || ${random(4, 1000)}`,
    Code: `CASE WHEN ${random(5, 15_000)} = 0 THEN 'rare' ELSE 'K' || ${random(6, 200_000)} END`,
    Region: `CASE WHEN ${isOdd} THEN 'south' ELSE 'north' END`,
    Wing: `CASE WHEN ${isOdd} THEN 'left' ELSE 'right' END`,
    Batch: `CASE WHEN ${isFirst} THEN 'early' WHEN ${isLast} THEN 'late' ELSE 'b' || (i::bigint * 100 / ${n}) END`,
    Amount: `(${random(7, 1_000_000)})::text`,
    Score: `i::text`,
    Price: `CASE WHEN ${isOdd} THEN '10' ELSE (${random(8, 10_000)} + 11) || '.5' END`,
    Due: `CASE WHEN ${random(9, 5)} > 0 THEN to_char(date '2025-01-01' + ${random(10, 730)}, 'YYYY-MM-DD') END`,
    Owner: `users.ids[1 + ${random(11, 20)}]`,
    Kind: `CASE WHEN ${isOdd} THEN 'A' ELSE (ARRAY['B', 'C', 'D'])[1 + ${random(12, 3)}] END`,
    Phase: `CASE WHEN ${isOdd} THEN 'shut' ELSE 'open' END`,
    Tags: `(ARRAY['["red"]', '["blue", "red"]', '["green"]', NULL])[1 + ${random(13, 4)}]::jsonb`,
    Flag: `CASE WHEN ${isOdd} THEN true END`,
    Contact: `CASE WHEN ${random(14, 20_000)} = 0 THEN 'contact' || i || '@example.org' END`,
  };
}

/** Evenly distributed over the year 2025. */
export const createdAt = (n: number): string => `timestamptz '2025-01-01' + i * (interval '365 days' / ${n})`;

/** Half of the tasks were changed within 60 days, and one in a hundred in 2026. */
export const updatedAt = (n: number): string => `CASE WHEN ${random(15, 100)} = 0
  THEN timestamptz '2026-02-01' + ${random(16, 1_000_000)} * interval '1 second'
  ELSE ${createdAt(n)} + ${random(17, 2)} * ${random(18, 5_000_000)} * interval '1 second' END`;
