import { english, type Message } from '../../common/message.js';

/** Why a value is refused: a lower-case predicate that reads after the field's name. */
export class Invalid {
  constructor(readonly said: Message) {}

  /** In English. */
  get message(): string {
    return english(this.said);
  }
}

/** What is wrong with a setting, or with one of its members. */
export interface SettingFault {
  readonly key: string;
  readonly index?: number;
  readonly message: string;
}
