import { didYouMean } from '../../common/did-you-mean.js';
import { functions, macros, methods, variables } from './language.js';

/** Adds what was probably meant to the library's message about an expression that does not compile. */
export function explain(message: string): string {
  const [, variable] = /^Unknown variable: (\w+)$/.exec(message) ?? [];
  if (variable !== undefined) return message + meantBy(variable);
  const [, left = '', operator = '', right = ''] =
    /^no such overload: (\S+) (\S+) (\S+)$/.exec(message) ?? [];
  return operator === '' ? message : `${operator} does not take ${kindOf(left)} and ${kindOf(right)}`;
}

/** Replaces the library's names of operators by their signs. */
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

function meantBy(variable: string): string {
  const known = didYouMean(variable, variables.keys());
  return known === '' ? `; a field is read as task["${variable}"]` : known;
}

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

export function unknownFunction(name: string): string {
  if (methods.has(name)) return `${name}() is called on a value: task["Name"].${name}()`;
  if (functions.has(name)) return `${name}() takes the value in its parentheses: ${name}(task["Name"])`;
  const known = [...functions.keys(), ...methods.keys(), ...macros.keys()];
  return `there is no function ${name}()${didYouMean(name, known)}`;
}
