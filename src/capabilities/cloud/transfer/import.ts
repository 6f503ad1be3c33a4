/** An export put into an empty cloud: checked as a whole, and then written by the rooms, each within its limits. */
import type { App } from '#app'
import { storeAppFile } from '#engine/app-files'
import { type ExportedUser, importUsers } from '#engine/app-users'
import { beginImport, type CloudLimits, type CloudRow, endImport, keyOf, limitsOf } from '#engine/clouds'
import { type ExportedItem, importAll } from '#engine/collections'
import { checkCode, deploy, listFunctions, removeFunction, requireRuntime } from '#engine/functions'
import { fail } from '#platform/errors'
import type { RequestContext } from '#platform/http'
import { isEmpty, portions, usageOf } from '../clouds/contents.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import { checkExport } from './check.ts'
import { type NumberedLine, readLines, refusedAt } from './read-lines.ts'
import type { Imported, Line } from './schema.ts'

type ImportContext = RequestContext<unknown, unknown, { id: string }>

export async function importCloud({ app, caller, params, upload, gone }: ImportContext): Promise<Imported> {
  const found = await requireCloud(app, caller, params.id, { ready: true })
  const { path } = upload!.files[0]!
  const counted = await checkExport(path, limitsOf(app.config.clouds, found.limits))
  if (counted.functions > 0) await requireRuntime(app)
  const now = new Date(app.clock.nowMs())
  const cloud = await app.db.tx(async (tx) => beginImport(tx, await lockReadyCloud(tx, found), now))
  try {
    const day = now.toISOString().slice(0, 10)
    if (!isEmpty(await usageOf(app, keyOf(cloud), day))) fail('CLOUD_NOT_EMPTY', {}, { param: 'id' })
    await write(app, cloud, path, gone)
  } finally {
    await app.db.tx((tx) => endImport(tx, keyOf(cloud), now))
    await app.clouds.refresh(keyOf(cloud))
  }
  return { object: 'cloud.import', id: cloud.cloud_id, ...counted }
}

/** All of it, or nothing: what was written of an export that fails is deleted again. */
async function write(app: App, cloud: CloudRow, path: string, gone: AbortSignal): Promise<void> {
  const place = { number: 0 }
  try {
    await writeAll(app, cloud, path, place, gone)
  } catch (error) {
    await empty(app, cloud).catch((cause: unknown) =>
      app.log.error({ err: cause, cloud_id: cloud.cloud_id }, 'a part of an export stays in its cloud'),
    )
    throw refusedAt(place.number, error)
  }
}

interface Place {
  /** Of the line that is written. */
  number: number
}

type OfType<Type extends Line['type']> = Extract<Line, { type: Type }>

async function writeAll(
  app: App,
  cloud: CloudRow,
  path: string,
  place: Place,
  gone: AbortSignal,
): Promise<void> {
  const limits = limitsOf(app.config.clouds, cloud.limits)
  const of = <Type extends Line['type']>(...types: Type[]) => linesOf(path, types, place, gone)
  await writeUsers(app, cloud, of('user'), limits)
  const rowsCloud = { ...keyOf(cloud), limits }
  await importAll(app.collections, rowsCloud, itemsOf(of('collection', 'row')), new Date(app.clock.nowMs()))
  await writeFiles(app, cloud, of('file', 'file_part'), limits)
  for await (const line of of('function')) await writeFunction(app, cloud, line, gone)
}

async function* linesOf<Type extends Line['type']>(
  path: string,
  types: readonly Type[],
  place: Place,
  gone: AbortSignal,
): AsyncGenerator<OfType<Type>> {
  for await (const { number, line } of readLines(path) as AsyncGenerator<NumberedLine>) {
    gone.throwIfAborted()
    if (!(types as readonly string[]).includes(line.type)) continue
    place.number = number
    yield line as OfType<Type>
  }
}

async function* itemsOf(lines: AsyncIterable<OfType<'collection' | 'row'>>): AsyncGenerator<ExportedItem> {
  for await (const { type, ...item } of lines) yield { kind: type, ...item } as ExportedItem
}

const usersAtOnce = 100

async function writeUsers(
  app: App,
  cloud: CloudRow,
  lines: AsyncIterable<OfType<'user'>>,
  { users: max }: CloudLimits,
): Promise<void> {
  const now = new Date(app.clock.nowMs())
  let waiting: ExportedUser[] = []
  const insert = async () => {
    const users = waiting
    waiting = []
    await app.db.tx((tx) => importUsers(tx, keyOf(cloud), users, { max, now }))
  }
  for await (const { type: _type, ...user } of lines) {
    waiting.push(user as ExportedUser)
    if (waiting.length >= usersAtOnce) await insert()
  }
  if (waiting.length > 0) await insert()
}

async function writeFiles(
  app: App,
  cloud: CloudRow,
  lines: AsyncIterable<OfType<'file' | 'file_part'>>,
  limits: CloudLimits,
): Promise<void> {
  let file: OfType<'file'> | undefined
  let parts: Buffer[] = []
  for await (const line of lines) {
    if (line.type === 'file') file = line
    parts.push(Buffer.from(line.content_base64, 'base64'))
    if (line.more || !file) continue
    const { id, user_id: userId, name, media_type: mediaType, created_at: created } = file
    const imported = { id: id.toLowerCase(), createdAt: new Date(created) }
    const bytes = Buffer.concat(parts)
    await storeAppFile(app, { ...keyOf(cloud), userId, name, mediaType, bytes, imported }, limits)
    parts = []
  }
}

/** Compiled and started anew: what was compiled elsewhere is not trusted. */
async function writeFunction(
  app: App,
  cloud: CloudRow,
  { name, code, verify_jwt: verifyJwt }: OfType<'function'>,
  gone: AbortSignal,
): Promise<void> {
  const compiled = await checkCode(app, cloud, { name, code, verifyJwt }, gone)
  await app.db.tx(async (tx) =>
    deploy(app, tx, await lockReadyCloud(tx, cloud), { name, code, verifyJwt }, compiled),
  )
}

/** It was empty before, so all of it is of the import. */
async function empty(app: App, cloud: CloudRow): Promise<void> {
  for (const portion of portions) while (!(await portion(app, keyOf(cloud))));
  await app.db.tx(async (tx) => {
    const locked = await lockReadyCloud(tx, cloud)
    for (const { name } of await listFunctions(tx, keyOf(cloud))) await removeFunction(tx, locked, name)
  })
}
