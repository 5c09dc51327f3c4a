import { type ComponentChildren, type FormHTMLAttributes, type VNode } from 'preact';
import { randomText } from '../../common/random-id.js';
import { FORM_KEY, FORM_USER } from '../form-body.js';
import { isSignedInReader, useAnybody } from '../reader.js';
import { Icon } from './icon.js';

/** A form that sends POST. The page after the form replaces this page in the browser's history. */
export function Form({ action, children, ...more }: FormProps): VNode {
  const reader = useAnybody();
  return (
    <form method="post" action={action} data-turbo-action="replace" {...more}>
      {children}
      {isSignedInReader(reader) && <Hidden fields={{ [FORM_USER]: reader.user.id }} />}
    </form>
  );
}

interface FormProps extends Omit<FormHTMLAttributes, 'action' | 'method'> {
  readonly action: string;
}

/** A form that is only a button. If the form is sent twice, the service recognizes its `FormKey`. */
export function ButtonForm({ look = '', fields = {}, label, children, ...more }: ButtonFormProps): VNode {
  const { action, isFirst = false, isWhole = false } = more;
  const named = label !== undefined && { 'aria-label': label, title: label };
  return (
    <Form action={action} class="inline" {...(isWhole && { 'data-turbo': 'false' })}>
      <Hidden fields={fields} />
      <FormKey />
      <button type="submit" class={look} autofocus={isFirst} {...named}>
        {children}
      </button>
    </Form>
  );
}

interface ButtonFormProps {
  readonly action: string;
  readonly look?: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** The accessible name of a button that has no words, or whose words do not tell what the button is for. */
  readonly label?: string;
  readonly isFirst?: boolean;
  /**
   * Whether the response is a page, not a redirect. Turbo accepts only redirects, so the form is sent without
   * Turbo.
   */
  readonly isWhole?: boolean;
  readonly children: ComponentChildren;
}

export function RemoveButton({ what, ...form }: RemoveButtonProps): VNode {
  return (
    <ButtonForm {...form} look="quiet" label={`Remove: ${what}`}>
      <Icon name="cross" />
    </ButtonForm>
  );
}

interface RemoveButtonProps extends Pick<ButtonFormProps, 'action' | 'fields'> {
  readonly what: string;
}

/** The hidden control FORM_KEY, with a new random text. */
export const FormKey = (): VNode => <Hidden fields={{ [FORM_KEY]: newFormKey() }} />;

export const newFormKey = (): string => randomText(18);

export function Hidden({ fields }: { readonly fields: Readonly<Record<string, string>> }): VNode {
  return (
    <>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}
