import { type Static, Type } from 'typebox'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import { described, nullable, oneOf, timestamp, uuid } from '#platform/schema'

const State = oneOf('queued', 'sent', 'refused', 'expired', 'unsent')

export const MailQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Mails made before this one; the next page begins after the last of this.',
      'نامه‌های پیش از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  { state: Type.Optional(State) },
)
export type MailQuery = Static<typeof MailQuery>

export const Mail = Type.Object({
  id: uuid(),
  address: Type.String(),
  kind: Type.String(described('What it tells, as a word.', 'آنچه می‌گوید، در یک واژه.')),
  locale: oneOf('fa', 'en'),
  state: State,
  subject: nullable(
    Type.String(described('Of a mail that could not be sent: its subject.', 'موضوع نامه‌ای که نمی‌شد فرستاد.')),
  ),
  text: nullable(
    Type.String(
      described(
        'Of a mail that could not be sent: its text, with a mask in place of codes and links.',
        'متن نامه‌ای که نمی‌شد فرستاد؛ کدها و پیوندها پوشیده‌اند.',
      ),
    ),
  ),
  can_reveal: Type.Boolean(
    described(
      'Whether its link can be shown: that of an invitation that could not be sent.',
      'آیا پیوندش را می‌توان دید: پیوند دعوتی که نمی‌شد فرستاد.',
    ),
  ),
  created_at: timestamp(),
  ended_at: nullable(timestamp()),
})
export type Mail = Static<typeof Mail>

export const MailList = plainList.schema(Mail)

export const IdParams = Type.Object({ id: uuid() })

export const RevealedMail = Type.Object({ id: uuid(), address: Type.String(), link: Type.String() })
