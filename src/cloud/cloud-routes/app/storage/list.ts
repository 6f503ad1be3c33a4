/** Lists objects as the caller may see them: by folders, and by whole names. */
import { Type } from 'typebox'
import {
  bucketName,
  decodePath,
  type FolderEntry,
  isSortColumn,
  listFolderAs,
  listKeysAs,
  namePrefix,
} from '#cloud/buckets'
import { fail } from '#platform/errors'
import type { AppCall, AppReply } from '../area.ts'
import { bodyOf, objectCaller, withDatabase } from './asking.ts'
import { boundedInteger } from './bounds.ts'
import { jsonReply, listText, objectText } from './json-text.ts'
import { listReasons } from './phrases.ts'

const maxRows = 1_000

const Sort = Type.Object({ column: Type.Optional(Type.String()), order: Type.Optional(Type.String()) })
const Versions = {
  noncurrentVersions: Type.Optional(Type.String()),
  deleteMarkers: Type.Optional(Type.String()),
}
const FolderBody = Type.Object({
  prefix: Type.Optional(Type.String()),
  search: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Unknown()),
  offset: Type.Optional(Type.Unknown()),
  sortBy: Type.Optional(Type.Union([Sort, Type.Null()])),
  ...Versions,
})
const KeysBody = Type.Object({
  prefix: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String({ maxLength: 8_000 })),
  limit: Type.Optional(Type.Unknown()),
  with_delimiter: Type.Optional(Type.Boolean()),
  sortBy: Type.Optional(Type.Union([Sort, Type.Null()])),
  ...Versions,
})

interface ListRequest {
  prefix?: string
  search?: string
  cursor?: string
  limit?: unknown
  offset?: unknown
  with_delimiter?: boolean
  sortBy?: { column?: string; order?: string } | null
  noncurrentVersions?: string
  deleteMarkers?: string
}

function refuseOtherVersions({
  noncurrentVersions = 'exclude',
  deleteMarkers = 'exclude',
}: ListRequest): void {
  if (noncurrentVersions !== 'exclude' || deleteMarkers !== 'exclude')
    fail('BUCKETS_NOT_OFFERED', { what: 'versions' })
}

/** Throws INVALID_REQUEST. */
function sortOf({ sortBy }: ListRequest) {
  const column = sortBy?.column || 'name'
  const order = sortBy?.order || 'asc'
  if (!isSortColumn(column) || !['asc', 'desc'].includes(order))
    return fail('INVALID_REQUEST', { why: listReasons.sort }, { param: 'sortBy' })
  return { column, isDescending: order === 'desc' }
}

const entry = (row: FolderEntry, more: object = {}): string =>
  objectText(
    {
      name: row.name,
      id: row.id,
      updated_at: row.updated_at?.toISOString() ?? null,
      created_at: row.created_at?.toISOString() ?? null,
      last_accessed_at: row.last_accessed_at?.toISOString() ?? null,
      ...more,
    },
    { metadata: row.metadata },
  )

export async function listFolder(call: AppCall, rest: string): Promise<AppReply> {
  const body = await bodyOf<ListRequest>(call, FolderBody)
  refuseOtherVersions(body)
  const prefix = namePrefix(body.prefix ?? '')
    .split('/')
    .filter((part) => part !== '')
    .join('/')
  const query = {
    bucket: bucketName(decodePath(rest)),
    folder: prefix === '' ? '' : `${prefix}/`,
    search: namePrefix(body.search ?? ''),
    limit: boundedInteger(body.limit, { standard: 100, min: 1, max: maxRows, param: 'limit' }),
    offset: boundedInteger(body.offset, { standard: 0, max: 100_000_000, param: 'offset' }),
    ...sortOf(body),
  }
  const rows = await withDatabase(call, (open) => listFolderAs(open, objectCaller(call), query))
  return jsonReply(listText(rows.map((row) => entry(row))))
}

export async function listKeys(call: AppCall, rest: string): Promise<AppReply> {
  const body = await bodyOf<ListRequest>(call, KeysBody)
  refuseOtherVersions(body)
  const { column, isDescending } = sortOf(body)
  if (column === 'last_accessed_at') fail('INVALID_REQUEST', { why: listReasons.sort }, { param: 'sortBy' })
  const limit = boundedInteger(body.limit, { standard: maxRows, min: 1, max: maxRows, param: 'limit' })
  const after = body.cursor ? cursorOf(body.cursor, `${column} ${isDescending}`) : undefined
  const found = await withDatabase(call, (open) =>
    listKeysAs(open, objectCaller(call), {
      bucket: bucketName(decodePath(rest)),
      prefix: namePrefix(body.prefix ?? ''),
      withFolders: body.with_delimiter ?? false,
      limit: limit + 1,
      ...{ column, isDescending, after },
    }),
  )
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  const hasNext = found.length > limit
  const objects = rows.filter(({ id }) => id !== null).map((row) => entry(row, { key: row.name }))
  const answer = {
    hasNext,
    folders: rows.filter(({ id }) => id === null).map(({ name }) => ({ name, key: name.replace(/\/$/, '') })),
    ...(hasNext &&
      last && {
        nextCursor: Buffer.from(
          JSON.stringify([`${column} ${isDescending}`, last.sorted_by ?? '', last.name]),
        ).toString('base64url'),
      }),
  }
  return jsonReply(objectText(answer, { objects: listText(objects) }))
}

/** Throws INVALID_REQUEST. */
function cursorOf(text: string, sorting: string): { value: string; name: string } {
  try {
    const [of, value, name]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    if (of === sorting && typeof value === 'string' && typeof name === 'string')
      return { value: namePrefix(value), name: namePrefix(name) }
  } catch {}
  return fail('INVALID_REQUEST', { why: listReasons.cursor }, { param: 'cursor' })
}
