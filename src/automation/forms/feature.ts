import { FormStateEntity } from './form-state.entity.js';
import { FormsModule } from './forms.module.js';
import { oldQuarantine } from './quarantine.repository.js';
import { QuarantinedPostEntity } from './quarantined-post.entity.js';
import { shownForms } from './shown-forms.js';

export const formsFeature = {
  kinds: [shownForms],
  entities: [FormStateEntity, QuarantinedPostEntity],
  leftovers: [oldQuarantine],
  modules: [FormsModule],
};
