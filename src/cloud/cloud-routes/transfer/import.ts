/**
 * Imports an export into an empty cloud: it is checked as a whole, then made ready (bytes of files are stored, functions compiled), and then written
 * by the rooms in one transaction. So the import exists as a whole or not at all, whatever ends the process, and an idempotency key gives a repeat
 * the same answer, also where the first one was lost.
 */

import { auditRequest } from '#account/audit'
import { type AppFileRow, dropBytes, importFiles, stageAppFile } from '#cloud/app-files'
import { type ExportedUser, importUsers } from '#cloud/app-users'
import { type CloudRow, keyOf, limitsOf, takeImportSlot } from '#cloud/clouds'
import { type ExportedItem, importAll, lockAndCheckEmpty } from '#cloud/collections'
import { checkCode, deploy, requireRuntime } from '#cloud/functions'
import { acceptOnce } from '#core/calls'
import type { Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { JsonText, RequestContext } from '#platform/http'
import type { ImportApp } from '../app.ts'
import { type AuthChange, applyAuth, readChange } from '../auth/settings.ts'
import { isEmpty, lockEmptyExceptRows, usageOf } from '../clouds/contents.ts'
import { cloudTarget } from '../clouds/create.ts'
import { lockReadyCloud, requireCloud } from '../require-cloud.ts'
import { checkExport } from './check.ts'
import { readLines, withLineNumber } from './read-lines.ts'
import type { ExportLine, ImportResult } from './schema.ts'

type ImportContext = RequestContext<ImportApp, unknown, unknown, { id: string }>

export async function importCloud(context: ImportContext): Promise<JsonText> {
  const { app, caller, params, upload, gone } = context
  const cloud = await requireCloud(app, caller, params.id, { ready: true })
  if (cloud.plan === 'dedicated') fail('PLAN_MISMATCH', { plan: 'import' }, { param: 'id' })
  const now = new Date(app.clock.nowMs())
  if (!isEmpty(await usageOf(app, keyOf(cloud), now.getTime()))) failNotEmpty()
  const { path } = upload!.files[0]!
  const counted = await checkExport(path, limitsOf(app.config.clouds, cloud))
  if (counted.functions > 0) await requireRuntime(app)
  const work: ImportState = {
    app,
    cloud,
    path,
    gone,
    now,
    line: 0,
    auth: undefined,
    files: [],
    functions: [],
  }
  const answer: ImportResult = { object: 'cloud.import', id: cloud.cloud_id, ...counted }
  const options = { endpoint: '/v1/cloud/import', statusCode: 200, now }
  try {
    await makeReady(work)
    const reply = await acceptOnce(context, options, async (tx) => {
      await write(tx, work)
      await auditRequest(tx, context, { target: cloudTarget(cloud), after: counted })
      return answer
    })
    await app.clouds.refresh(keyOf(cloud))
    return reply
  } catch (error) {
    // Bytes that were committed all the same are pending no more, and stay.
    await dropBytes(
      app,
      work.files.map((file) => file.storage_key),
    )
    throw withLineNumber(work.line, error)
  }
}

const failNotEmpty = (): never => fail('CLOUD_NOT_EMPTY', {}, { param: 'id' })

interface ImportState {
  app: ImportApp
  cloud: CloudRow
  path: string
  gone: AbortSignal
  now: Date
  /** The number of the line that is being handled. */
  line: number
  auth: AuthChange | undefined
  /** Files whose bytes are stored. */
  files: AppFileRow[]
  functions: CompiledFunction[]
}

type LineOfType<Type extends ExportLine['type']> = Extract<ExportLine, { type: Type }>
type CompiledFunction = { code: Parameters<typeof deploy>[3]; compiled: Parameters<typeof deploy>[4] }

/** Does what has no place in a transaction: stores bytes, compiles functions and starts them once, since code compiled elsewhere is not trusted. */
async function makeReady(work: ImportState): Promise<void> {
  let file: LineOfType<'file'> | undefined
  let parts: Buffer[] = []
  for await (const line of linesOf(work, 'auth', 'file', 'file_part', 'function')) {
    if (line.type === 'auth') work.auth = readChange(line)
    else if (line.type === 'function') work.functions.push(await compileFunction(work, line))
    else {
      if (line.type === 'file') file = line
      parts.push(Buffer.from(line.content_base64, 'base64'))
      if (line.more || !file) continue
      work.files.push(await storeBytes(work, file, Buffer.concat(parts)))
      parts = []
    }
  }
}

async function compileFunction(
  { app, cloud, gone }: ImportState,
  { name, code: text, verify_jwt: verifyJwt }: LineOfType<'function'>,
): Promise<CompiledFunction> {
  const code = { name, code: text, verifyJwt }
  return { code, compiled: await checkCode(app, cloud, code, gone) }
}

function storeBytes(
  { app, cloud }: ImportState,
  file: LineOfType<'file'>,
  bytes: Buffer,
): Promise<AppFileRow> {
  const imported = { id: file.id.toLowerCase(), createdAt: new Date(file.created_at) }
  const { user_id: userId, name, media_type: mediaType } = file
  const limits = limitsOf(app.config.clouds, cloud)
  return stageAppFile(app, { ...keyOf(cloud), userId, name, mediaType, bytes, imported }, limits)
}

/** Writes rows first: only other writes of this cloud's rows wait for them. What sign-ups and uploads wait for is locked last, and briefly. */
async function write(tx: Tx, work: ImportState): Promise<void> {
  const { app, cloud, now } = work
  const key = keyOf(cloud)
  await takeImportSlot(tx, key)
  if (!(await lockAndCheckEmpty(tx, key))) failNotEmpty()
  const limits = limitsOf(app.config.clouds, cloud)
  await importAll(tx, { ...key, limits }, itemsOf(work), now)
  const locked = await lockReadyCloud(tx, cloud)
  if (!(await lockEmptyExceptRows(tx, key))) failNotEmpty()
  await importUsers(tx, key, usersOf(work), { max: limits.users, now })
  await importFiles(tx, key, work.files, limits)
  if (work.auth) await applyAuth(app, tx, locked, work.auth)
  for (const { code, compiled } of work.functions) await deploy(app, tx, locked, code, compiled)
}

async function* itemsOf(work: ImportState): AsyncGenerator<ExportedItem> {
  for await (const { type, ...item } of linesOf(work, 'collection', 'row'))
    yield { kind: type, ...item } as ExportedItem
}

async function* usersOf(work: ImportState): AsyncGenerator<ExportedUser> {
  for await (const { type: _type, ...user } of linesOf(work, 'user')) yield user as ExportedUser
}

/** Yields lines of these types; lines after the last of them are not read. */
async function* linesOf<Type extends ExportLine['type']>(
  work: ImportState,
  ...types: Type[]
): AsyncGenerator<LineOfType<Type>> {
  for await (const { number, line } of readLines(work.path, types)) {
    work.gone.throwIfAborted()
    work.line = number
    yield line as LineOfType<Type>
  }
}
