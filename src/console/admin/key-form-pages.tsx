import { type VNode } from 'preact';
import { keyScopes } from '../../entities/column-values.js';
import { type ApiKeyEntity } from '../../entities/api-key.entity.js';
import { AdminFormPage, ChoiceControl, type Filled, FormControl } from './admin-form.js';
import { type Administrator } from './admin-pages.js';
import { overlapHours } from './key-form.js';
import { keyPath, KEYS_PATH } from './keys-page.js';

interface KeyFormProps {
  readonly to: Administrator;
  readonly form: Filled;
}

/** Asks what a new key is for, what it may do and how long. */
export function NewKeyPage({ to, form }: KeyFormProps): VNode {
  const { keys, key: words } = to.words.admin;
  const above = { href: KEYS_PATH, name: keys };
  const view = {
    to,
    form,
    above,
    title: words.make,
    lead: words.lead,
    action: KEYS_PATH,
    button: words.make,
  };
  return (
    <AdminFormPage view={view}>
      <FormControl
        to={to}
        form={form}
        name="name"
        label={words.name}
        hint={words.nameHint}
        isRequired
        control={(more) => (
          <input
            {...more}
            value={form.values.get('name') ?? ''}
            maxLength={100}
            autocomplete="off"
            autofocus
          />
        )}
      />
      <ChoiceControl
        to={to}
        form={form}
        name="scope"
        label={words.scope}
        hint={words.scopeHint}
        options={keyScopes.map((scope) => [scope, words.scopes[scope] ?? scope])}
      />
      <Expiry to={to} form={form} />
    </AdminFormPage>
  );
}

/** Asks how long the old key lives on beside the new one, and how long that lives. */
export function RotateKeyPage({ to, form, apiKey }: RotateProps): VNode {
  const { keys, key: words } = to.words.admin;
  const view = {
    to,
    form,
    above: { href: KEYS_PATH, name: keys },
    title: words.rotateTitle(apiKey.name),
    lead: words.rotateLead,
    action: `${keyPath(apiKey)}/rotate`,
    button: words.rotate,
  };
  return (
    <AdminFormPage view={view}>
      <ChoiceControl
        to={to}
        form={form}
        name="overlap"
        label={words.overlap}
        hint={words.overlapHint}
        options={overlapHours.map((hours) => [String(hours), words.overlaps(hours)])}
      />
      <Expiry to={to} form={form} />
    </AdminFormPage>
  );
}

interface RotateProps extends KeyFormProps {
  readonly apiKey: ApiKeyEntity;
}

function Expiry({ to, form }: KeyFormProps): VNode {
  const words = to.words.admin.key;
  return (
    <FormControl
      to={to}
      form={form}
      name="expires"
      label={words.expires}
      hint={words.expiresHint}
      control={(more) => (
        <input {...more} type="date" value={form.values.get('expires') ?? ''} max="9999-12-31" />
      )}
    />
  );
}
