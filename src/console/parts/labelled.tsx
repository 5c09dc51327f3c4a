import { type VNode } from 'preact';
import { useFault } from './fault.js';

/** A control with its label, what helps to fill it in, and what is wrong with what was entered. */
export function Labelled({ id, label, hint, control, ...more }: LabelledProps): VNode {
  const { isGroup = false, isRequired = false } = more;
  const { attributes, fault } = useFault(id, hint && `${id}-hint`);
  return (
    <div class="control">
      <label id={`${id}-label`} {...(!isGroup && { for: id })}>
        {label}
        {isRequired && <RequiredMark />}
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
        ...attributes,
      })}
      {fault}
    </div>
  );
}

interface LabelledProps {
  readonly id: string;
  readonly label: string;
  readonly hint?: string | undefined;
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
export const RequiredMark = (): VNode => (
  <span class="required" title="required">
    {' *'}
    <span class="visually-hidden">required</span>
  </span>
);
