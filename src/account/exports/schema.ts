import { type Static, Type } from 'typebox'
import { bareList } from '#platform/lists'
import { described, nullable, oneOf, safeInteger, timestamp, uuid } from '#platform/schema'

export const ExportParams = Type.Object({ id: uuid() })

export const PersonExport = Type.Object({
  id: uuid(),
  object: Type.Literal('export'),
  state: {
    ...oneOf('queued', 'running', 'ready', 'failed', 'expired'),
    ...described(
      'Only a `ready` one has a file; it is `expired` after a day.',
      'فقط `ready` فایل دارد؛ پس از یک روز `expired` می‌شود.',
    ),
  },
  bytes: nullable(Type.Integer(safeInteger)),
  sha256: nullable(Type.String()),
  created_at: timestamp(),
  finished_at: nullable(timestamp()),
  expires_at: nullable(timestamp()),
})
export type PersonExport = Static<typeof PersonExport>

export const ExportList = bareList.schema(PersonExport)
