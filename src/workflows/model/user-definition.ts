import { weaker, whenHigher, whenLower, whenMore, whenOtherwise } from '../fields/weaker.js';
import Type, { type Static } from 'typebox';
import { asText, isMapping, readAs, readShape } from './definition-reader.js';
import { refers } from './marks.js';
import { closedMapping, emailText, formerEmail } from './schema-parts.js';

const away = Type.Object(
  {
    from: Type.String({
      ...weaker(whenLower),
      title: 'From',
      description: 'The first day.',
      examples: ['2026-12-01'],
    }),
    until: Type.String({
      ...weaker(whenHigher()),
      title: 'Until',
      description: 'The first day back.',
      examples: ['2026-12-15'],
    }),
    to: emailText({
      ...refers('user'),
      ...weaker(whenOtherwise),
      title: 'To',
      description: 'The e-mail of the user who may approve in place of the absent user.',
      examples: ['ines@acme.test'],
    }),
  },
  {
    ...closedMapping,
    title: 'Away',
    description: 'Days on which another user may approve for this user.',
  },
);

export const user = Type.Object(
  {
    email: emailText({
      title: 'E-mail',
      description: 'Identifies the user. The case of the e-mail is ignored.',
    }),
    was: formerEmail,
    first_name: personName('First name'),
    last_name: personName('Last name'),
    active: Type.Boolean({
      ...weaker(whenMore),
      title: 'Active',
      description: 'false: the user is deactivated. The history still names the user.',
      default: true,
    }),
    away: readAs(
      Type.Optional(
        Type.Unsafe<Static<typeof away> | null>({
          ...away,
          type: ['object', 'null'],
          description:
            'Days, in the time zone of the workspace, on which another user may approve for this user. If omitted, the absence stays unchanged; null ends the absence.',
        }),
      ),
      (value) => (isMapping(value) ? readShape(away, value) : null),
    ),
  },
  {
    ...closedMapping,
    title: 'User',
    description: 'A person of the workspace.',
    examples: [{ email: 'mina@acme.test', first_name: 'Mina', last_name: 'Ray' }],
  },
);

function personName(title: string) {
  const schema = Type.Unsafe<string | null>({
    type: ['string', 'null'],
    maxLength: 100,
    title,
    description: '1 to 100 characters, or null. If omitted, the name becomes null.',
    default: null,
  });
  return readAs(schema, (value) => asText(value ?? undefined) || null);
}

export type UserDefinition = Static<typeof user>;
