import { en } from './words.js';
import { Post } from '@nestjs/common';
import { type Reply } from '../../lib/reply.js';
import { type ShownSchedule } from '../../schedules/schedule.dto.js';
import { shownSchedules } from '../../schedules/shown-schedules.js';
import { KindsService } from '../../definitions/shown/kinds.service.js';
import { Badge } from '../parts/badge.js';
import { FormBody } from '../form-body.js';
import { FORM_KEY, keyOfForm } from '../form-fields.js';
import { ButtonForm, newFormKey } from '../parts/form.js';
import { Instant } from '../parts/time.js';
import { Section } from './admin-page.js';
import { type Administrator, AdminPages, type AdminRequest, Asked } from './admin-pages.js';
import { Administered, type PlacedThing } from './administered.js';
import { type AskedStarter, type StarterDetails, StarterPages } from './starters.js';

/** The schedules of the workflows that somebody administers: when each fires next, with a button that runs it now. */
@AdminPages('admin/schedules')
export class AdminSchedulesController extends StarterPages<ShownSchedule> {
  constructor(administered: Administered, kinds: KindsService) {
    super('schedule', administered, kinds, shownSchedules);
  }

  @Post(':workflow/:starter/run')
  async run(@Asked() place: AdminRequest, @FormBody() form: URLSearchParams): Promise<Reply> {
    return this.does(place, 'run', 'run', keyOfForm(form));
  }

  protected lineOf(_reader: Administrator, { thing }: PlacedThing<ShownSchedule>) {
    const [first] = thing.state === 'active' ? thing.next : [];
    return {
      under: `${thing.cron} ${thing.timezone}`,
      due: first !== undefined && (
        <>
          {en.time.admin.next}: <Instant at={new Date(first)} timeZone={thing.timezone} />
        </>
      ),
    };
  }

  protected detailsOf({ starter, path }: AskedStarter<ShownSchedule>): StarterDetails {
    const { admin: words, results } = en.time;
    const { cron, timezone, next, last } = starter;
    const instant = (at: string) => <Instant at={new Date(at)} timeZone={timezone} />;
    return {
      facts: [
        [words.cron, <code>{cron}</code>],
        [words.timezone, timezone],
        [
          words.lastRun,
          last === null ? (
            en.admin.key.never
          ) : (
            <>
              {instant(last.at)} <Badge>{results[last.result]}</Badge>
            </>
          ),
        ],
      ],
      buttons: (
        <ButtonForm action={`${path}/run`} fields={{ [FORM_KEY]: newFormKey() }}>
          {words.runNow}
        </ButtonForm>
      ),
      section: (
        <Section id="next" title={words.nextFive}>
          <ol class="plain-list stack gap-1">
            {next.map((at) => (
              <li>{instant(at)}</li>
            ))}
          </ol>
        </Section>
      ),
    };
  }
}
