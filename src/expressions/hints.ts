import { didYouMean, suggestion } from '../lib/did-you-mean.js';
import { english } from '../lib/message.js';
import { functions, macros, methods, variables } from './language.js';

/** The library's message about an expression that does not compile, with what was probably meant. */
export function explain(message: string, source: string): string {
  const [, variable] = /^Unknown variable: (\w+)$/.exec(message) ?? [];
  const bare = source.replaceAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g, '""');
  const habit = habits.find(([pattern]) => pattern.test(bare))?.[1];
  if (variable !== undefined) return `${message}${habit === undefined ? meantBy(variable) : `: ${habit}`}`;
  const [, left = '', operator = '', right = ''] =
    /^no such overload: (\S+) (\S+) (\S+)$/.exec(message) ?? [];
  const dates = /^[+-]$/.test(operator) && /\b(?:today|now)\(/.test(bare) ? reckoning : '';
  if (operator !== '') return `${operator} does not take ${kindOf(left)} and ${kindOf(right)}${dates}`;
  return habit === undefined ? message : `${message}: ${habit}`;
}

/** Replaces the library's names of operators by the operators as they are written. */
export function namingSigns(message: string, written: string): string {
  const found = written === '' ? 'the end' : written;
  return message
    .replace(/^Unexpected token: \w+$/, () => `Unexpected ${written === '' ? 'end' : written}`)
    .replace(
      /^Expected (\w+), got \w+$/,
      (_, name: string) => `Expected ${signs.get(name) ?? name}, got ${found}`,
    );
}

const signs = new Map([
  ['RPAREN', ')'],
  ['RBRACKET', ']'],
  ['RBRACE', '}'],
  ['COLON', ':'],
  ['IDENTIFIER', 'a name'],
  ['EOF', 'the end'],
]);

const reckoning = ': for dates use add_days(date, days) and days_between(from, to)';

function meantBy(variable: string): string {
  const known = didYouMean(variable, variables.keys());
  return known === '' ? `; a field is read as task["${variable}"]` : known;
}

// Habits from other languages. The patterns are matched against the expression with its quoted texts emptied.
const habits: readonly (readonly [RegExp, string])[] = [
  [/\{\{/, 'a field is read as task["Field Name"], without {{ }}'],
  [/[“”„‘’]/, 'quotes are straight: " or \''],
  [/=~/, 'a pattern is matched by matches(text, "pattern")'],
  [/<>/, '!= is "is not equal to"'],
  [/===|(?:^|[^=!<>])=(?:[^=]|$)/, 'values are compared with =='],
  [/\bis(?: not)? null\b/i, '== null tests whether it is blank'],
  [/\b(?:and|or|not)\b/i, '&& is "and", || is "or", ! is "not"'],
  [/(?:^|[^&])&(?:[^&]|$)|(?:^|[^|])\|(?:[^|]|$)/, '&& is "and", || is "or"'],
  [/\b(?:True|False|None|nil|undefined|TRUE|FALSE|NULL)\b/, 'they are written true, false and null'],
  [/\bif *\(/, 'condition ? a : b chooses between two values'],
  [/\bin *\(/, 'a list is written in [ ]'],
  [/\d,\d{3}\b/, 'numbers have no commas'],
  [/\btask\.\w+ +\w+/, 'a name of several words is read as task["Field Name"]'],
];

function kindOf(type: string): string {
  return kinds.get(type) ?? (type.startsWith('list') ? 'a list' : `a ${type}`);
}

const kinds = new Map([
  ['string', 'a text'],
  ['int', 'a number'],
  ['decimal', 'a number'],
  ['bool', 'true or false'],
  ['null', 'null'],
  ['dyn', 'a value of a task'],
]);

/** The message about an unknown function. */
export function unknownFunction(name: string): string {
  if (methods.has(name)) return `${name}() is called on a value: task["Name"].${name}()`;
  if (functions.has(name)) return `${name}() takes the value in its parentheses: ${name}(task["Name"])`;
  const [meant] = [...synonyms].find(([, others]) => others.includes(name.toLowerCase())) ?? [];
  const known = [...functions.keys(), ...methods.keys(), ...macros.keys()];
  const hint = meant === undefined ? didYouMean(name, known) : english(suggestion(meant));
  return `there is no function ${name}()${hint}`;
}

const synonyms = new Map([
  ['size()', ['len', 'length', 'count']],
  ['lowerAscii()', ['lower', 'tolower', 'tolowercase', 'lowercase', 'downcase']],
  ['upperAscii()', ['upper', 'toupper', 'touppercase', 'uppercase', 'upcase']],
  ['contains()', ['includes', 'include']],
  ['matches()', ['match', 'regex', 'regexp']],
  ['days_between()', ['date_diff', 'datediff', 'days', 'daysbetween', 'diff_days', 'days_diff']],
  ['add_days()', ['date_add', 'dateadd', 'adddays', 'add_date', 'plus_days']],
  ['today()', ['current_date', 'curdate']],
  ['now()', ['current_timestamp', 'getdate']],
  ['== null', ['isblank', 'is_blank', 'isempty', 'is_empty', 'isnull', 'is_null', 'blank', 'empty']],
  ['condition ? a : b', ['iif', 'ifelse', 'case']],
]);
