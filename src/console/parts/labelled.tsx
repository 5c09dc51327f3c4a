import { type VNode } from 'preact';
import { Faults } from './form.js';
import { type Message } from '../../lib/message.js';

/** A control with its label, what helps to fill it in, and what is wrong with what was entered. */
export function Labelled({ id, label, hint, messages, control, ...more }: LabelledProps): VNode {
  const { isGroup = false, isRequired = false } = more;
  const described = [
    ...(hint === undefined ? [] : [`${id}-hint`]),
    ...(messages.length > 0 ? [`${id}-fault`] : []),
  ];
  return (
    <div class="control">
      <label id={`${id}-label`} {...(!isGroup && { for: id })}>
        {label}
        {isRequired && <RequiredMark label="required" />}
      </label>
      {hint !== undefined && (
        <p class="muted small" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {control({
        id,
        ...(isGroup && { 'aria-labelledby': `${id}-label` }),
        ...(isRequired && !isGroup && { 'aria-required': true }),
        ...(messages.length > 0 && { 'aria-invalid': true }),
        ...(described.length > 0 && { 'aria-describedby': described.join(' ') }),
      })}
      <Faults id={`${id}-fault`} messages={messages} />
    </div>
  );
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
  /** As the API says them. */
  readonly messages: readonly Message[];
  /** Whether it is several controls with one name. */
  readonly isGroup?: boolean;
  readonly isRequired?: boolean;
  readonly control: (attributes: LabelledAttributes) => VNode;
}

/** The attributes that connect a control with its label, hint and faults. */
export interface LabelledAttributes {
  readonly id: string;
  readonly 'aria-labelledby'?: string;
  readonly 'aria-required'?: boolean;
  readonly 'aria-invalid'?: boolean;
  readonly 'aria-describedby'?: string;
}

/** Stands behind the name of what must not be blank. */
export const RequiredMark = ({ label }: { readonly label: string }): VNode => (
  <span class="required" title={label}>
    {' *'}
    <span class="visually-hidden">{label}</span>
  </span>
);
