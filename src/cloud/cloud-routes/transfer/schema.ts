import { type Static, Type } from 'typebox'
import { ExportedUser } from '#cloud/app-users'
import { closed, described, nameSchemas, safeInteger, storableText, uuid } from '#platform/schema'
import { maxAddresses, maxAddressLength } from '../auth/schema.ts'

const count = () => Type.Integer(safeInteger)

/** Each line of an export by its `type`. The contents of a room are checked by the room. */
export const lineSchemas = {
  cloud: Type.Object(
    {
      type: Type.Literal('cloud'),
      version: Type.Literal(1),
      name: Type.String(),
      exported_at: Type.String(),
    },
    closed,
  ),
  /** Exports of earlier releases have no such line. */
  auth: Type.Object(
    {
      type: Type.Literal('auth'),
      site_url: Type.Union([Type.String({ maxLength: maxAddressLength }), Type.Null()]),
      disable_signup: Type.Boolean(),
      additional_redirect_urls: Type.Array(Type.String({ maxLength: maxAddressLength }), {
        maxItems: maxAddresses,
      }),
      anonymous_sign_ins: Type.Boolean(),
    },
    closed,
  ),
  user: Type.Object({ type: Type.Literal('user'), ...ExportedUser.properties }, closed),
  collection: Type.Object(
    {
      type: Type.Literal('collection'),
      name: Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]{0,62}$' }),
      public_read: Type.Boolean(),
    },
    closed,
  ),
  row: Type.Object(
    {
      type: Type.Literal('row'),
      collection: Type.String(),
      id: uuid(),
      owner_id: Type.Union([uuid(), Type.Null()]),
      data: Type.Record(Type.String(), Type.Unknown()),
      created_at: Type.String({ maxLength: 40 }),
      updated_at: Type.String({ maxLength: 40 }),
    },
    closed,
  ),
  file: Type.Object(
    {
      type: Type.Literal('file'),
      id: uuid(),
      user_id: uuid(),
      name: storableText(1, 255),
      media_type: storableText(0, 255),
      created_at: Type.String({ maxLength: 40 }),
      content_base64: Type.String(),
      more: Type.Boolean(),
    },
    closed,
  ),
  file_part: Type.Object(
    { type: Type.Literal('file_part'), content_base64: Type.String(), more: Type.Boolean() },
    closed,
  ),
  function: Type.Object(
    {
      type: Type.Literal('function'),
      name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }),
      verify_jwt: Type.Boolean(),
      code: Type.String({ minLength: 1, maxLength: 128_000 }),
    },
    closed,
  ),
  end: Type.Object({ type: Type.Literal('end'), lines: count() }, closed),
}
export type LineType = keyof typeof lineSchemas
export type ExportLine = { [Type in LineType]: Static<(typeof lineSchemas)[Type]> }[LineType]

export const ImportForm = Type.Object({}, closed)

export const ImportResult = Type.Object({
  object: Type.Literal('cloud.import'),
  id: uuid(),
  users: count(),
  collections: count(),
  rows: count(),
  files: count(),
  functions: {
    ...count(),
    ...described('Their secrets are not in an export.', 'مقدارهای محرمانه‌شان در خروجی نیست.'),
  },
})
export type ImportResult = Static<typeof ImportResult>

nameSchemas({ ImportedCloud: ImportResult })
