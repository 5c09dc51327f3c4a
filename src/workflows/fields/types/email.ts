import Type from 'typebox';
import { Invalid } from '../invalid.js';
import { textType } from '../field-type.js';
import { textRules, textRuleSettings } from '../text-rules.js';

const MAX_CHARACTERS = 254;
const localPattern = /^[\p{L}\p{M}\p{N}!#$%&'*+/=?^_`{|}~.-]{1,64}$/u;
const labelPattern = /^[\p{L}\p{M}\p{N}-]{1,63}$/u;

/** One e-mail address: a local part without quotes, and a domain of two or more labels. */
export const email = textType(
  Type.Object(textRuleSettings, {
    title: 'E-mail',
    description: 'One e-mail address, kept as it was sent.',
    examples: [{ name: 'Contact', pattern: '@acme[.]test$' }],
  }),
  {
    ...textRules(MAX_CHARACTERS),
    isSearched: true,
    example: { sent: 'Mina@acme.test', shown: 'Mina@acme.test' },
    parse: (input) =>
      typeof input === 'string' && isAddress(input) ? input : new Invalid('is not an e-mail address'),
    show: () => ({ as: 'address', scheme: 'mailto:' }),
    ask: () => ({ by: 'line', type: 'email', maxLength: MAX_CHARACTERS }),
    openapi: () => ({ type: ['string', 'null'], format: 'idn-email' }),
  },
);

function isAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  return (
    text.length <= MAX_CHARACTERS && isLocal(text.slice(0, Math.max(at, 0))) && isDomain(text.slice(at + 1))
  );
}

function isLocal(local: string): boolean {
  return localPattern.test(local) && !`.${local}.`.includes('..');
}

function isDomain(domain: string): boolean {
  const labels = domain.split('.');
  return labels.length >= 2 && labels.every(isLabel);
}

function isLabel(label: string): boolean {
  return labelPattern.test(label) && !label.startsWith('-') && !label.endsWith('-');
}
