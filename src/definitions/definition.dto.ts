import { Described } from '../lib/described.js';
import { flag, maybeText, textSchema } from '../openapi/vocabulary.js';

/** A workspace, or a workflow in a list. */
export class Named {
  @Described(textSchema('As paths and payloads name it.'))
  readonly id!: string;

  @Described(textSchema('As people see it.'))
  readonly name!: string;
}

/** A stage in a list. */
export class StageName {
  @Described(textSchema('As people see it.'))
  readonly name!: string;
}

/** A role in a list. */
export class NamedRole {
  @Described(textSchema('As paths and payloads name it.'))
  readonly id!: string;

  @Described(textSchema('As people see it.'))
  readonly name!: string;

  @Described(flag('Whether it may do everything.'))
  readonly admin!: boolean;
}

/** Who works in a workflow; without a role where the workflow defines none. */
export class Participant {
  @Described(textSchema('As paths and payloads name it.'))
  readonly id!: string;

  @Described(textSchema('By which payloads name the user.'))
  readonly email!: string;

  @Described(maybeText('Null where nobody has said.'))
  readonly first_name!: string | null;

  @Described(maybeText('Null where nobody has said.'))
  readonly last_name!: string | null;

  @Described(maybeText('The role in this workflow; null where that defines none.'))
  readonly role_id!: string | null;
}
