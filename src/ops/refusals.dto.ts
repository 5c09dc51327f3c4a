import { Described } from '../lib/described.js';

/** A problem document of RFC 9457. */
export class Problem {
  @Described({
    type: 'string',
    description:
      '`about:blank` where the status says it all; `cursor-expired` of a 410, `managed-by-definition` of a 409.',
  })
  readonly type!: string;

  @Described({ type: 'string', description: 'The words of the status.' })
  readonly title!: string;

  @Described({ type: 'integer' })
  readonly status!: number;

  @Described({ type: 'string', description: 'What is wrong, for people.' })
  readonly detail!: string;

  @Described({ type: 'string', description: 'The request in the log of the service.' })
  readonly request_id!: string;
}

/** What was sent is refused, name by name. */
export class RefusedFields {
  @Described({
    description: 'Messages by the name of the field or parameter; what belongs to none stands under `base`.',
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' }, minItems: 1 },
  })
  readonly errors!: Readonly<Record<string, readonly string[]>>;
}

/** An execution was not begun. */
export class RefusedStart {
  @Described({ type: 'string', enum: ['Fail'] })
  readonly status!: 'Fail';

  @Described({
    description: 'One message for each unmet requirement.',
    type: 'array',
    items: { type: 'string' },
  })
  readonly errors!: readonly string[];
}
