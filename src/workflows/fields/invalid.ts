import { english, type Message } from '../../common/message.js';

/** Why a value is refused: a lower-case predicate that follows the field's name. */
export class Invalid {
  constructor(readonly said: Message) {}

  /** The reason in English. */
  get message(): string {
    return english(this.said);
  }
}

export interface SettingFault {
  readonly key: string;
  readonly index?: number;
  readonly message: string;
}
