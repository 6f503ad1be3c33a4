import { type Static, Type } from 'typebox'
import { actorKinds } from '#account/audit'
import { idCursor, pageQuery, plainList } from '#platform/lists'
import { described, nameSchemas, nullable, oneOf, patterned, timestamp, uuid } from '#platform/schema'

const moment = (en: string, fa: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      ...patterned(
        '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?(Z|[+-][0-9]{2}:[0-9]{2})$',
        {
          en: 'must be a moment with its zone, such as 2026-03-21T00:00:00Z',
          fa: 'باید لحظه‌ای با منطقهٔ زمانی باشد، مانند 2026-03-21T00:00:00Z',
        },
      ),
      ...described(en, fa),
      examples: ['2026-03-21T00:00:00Z'],
    }),
  )

export const AuditQuery = pageQuery(
  {
    max: 100,
    after: idCursor(
      'Changes older than this one; the next page begins after the last of this.',
      'تغییرهای کهنه‌تر از این یکی؛ صفحهٔ بعد پس از آخرین مورد این صفحه آغاز می‌شود.',
    ),
  },
  {
    actor_kind: Type.Optional(oneOf(...actorKinds)),
    actor_id: Type.Optional({
      ...uuid('The person or the key that made the change.'),
      'x-description-fa': 'شخص یا کلیدی که تغییر داده است.',
    }),
    target_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        ...patterned('^[^\\u0000-\\u001f\\u007f]+$', {
          en: 'must be the id of what was changed, in one line',
          fa: 'باید شناسهٔ چیزی باشد که تغییر کرده است، در یک خط',
        }),
        ...described('What was changed, by its id.', 'آنچه تغییر کرده است، با شناسه‌اش.'),
      }),
    ),
    operation: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        ...patterned('^[A-Za-z0-9_.]+$', {
          en: 'must be the beginning of the name of an operation, such as keys.',
          fa: 'باید آغاز نام یک عملیات باشد، مانند keys.',
        }),
        ...described(
          'What the operation begins with: `keys.` finds all changes of keys.',
          'آغاز نام عملیات: `keys.` همهٔ تغییرهای کلیدها را پیدا می‌کند.',
        ),
        examples: ['keys.'],
      }),
    ),
    from: moment('From this moment on.', 'از این لحظه به بعد.'),
    to: moment('Before this moment.', 'پیش از این لحظه.'),
  },
)
export type AuditQuery = Static<typeof AuditQuery>

const name = nullable(
  Type.String(
    described(
      'What a person, a key or a project is called now; «deleted» for a person who is gone.',
      'نام کنونی شخص، کلید یا پروژه؛ برای کسی که حذف شده است «حذف‌شده».',
    ),
  ),
)

const value = (en: string, fa: string) =>
  nullable(Type.Record(Type.String(), Type.Unknown(), described(en, fa)))

export const AuditEntry = Type.Object({
  object: Type.Literal('audit.entry'),
  id: uuid(),
  at: timestamp(),
  project_id: nullable(uuid()),
  actor: Type.Object({
    kind: {
      ...oneOf(...actorKinds),
      ...described(
        'operator: the command line of this server; system: the server by itself.',
        'operator: خط فرمان این سرور؛ system: خود سرور.',
      ),
    },
    id: nullable(uuid()),
    name,
    deleted: Type.Boolean(),
  }),
  operation: Type.String(described('The operation of the route, or the command.', 'عملیات مسیر، یا دستور.')),
  target: nullable(Type.Object({ kind: Type.String(), id: Type.String(), name })),
  before: value(
    'What the change replaced, without secrets; long texts are cut.',
    'آنچه تغییر جای آن را گرفت، بی رازها؛ متن‌های بلند بریده شده‌اند.',
  ),
  after: value('What stands there since.', 'آنچه از آن پس هست.'),
  request_id: nullable(uuid()),
  client: nullable(
    Type.String(described('What the program called itself.', 'نامی که برنامه برای خود فرستاد.')),
  ),
})
export type AuditEntry = Static<typeof AuditEntry>

export const AuditList = plainList.schema(AuditEntry)

nameSchemas({ AuditEntry, AuditList })
