/** Deploys new code of a function, once the code is known to start. */
import {
  announceCloud,
  type CloudKey,
  type CloudRow,
  keyOf,
  limitsOf,
  raiseFunctionsRevision,
} from '#cloud/clouds'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { FunctionsApp } from './app.ts'
import { type CompiledModule, refuseCode } from './compile/compile.ts'
import { bootSentence } from './compile/phrases.ts'
import { sourcePositions } from './compile/positions.ts'
import type { ShownFunction } from './store.ts'
import * as store from './store.ts'

/** How many versions of each function are kept: the live one, and those to which it can go back. */
export const keptVersions = 5

export interface NewCode {
  name: string
  code: string
  verifyJwt: boolean
}

type DeployContext = Pick<
  FunctionsApp,
  'db' | 'clock' | 'functions' | 'functionCompiler' | 'functionSource' | 'config'
>

/** Throws FUNCTIONS_UNAVAILABLE where this installation can run none. */
export async function requireRuntime({ functions }: Pick<FunctionsApp, 'functions'>): Promise<void> {
  const state = await functions.state()
  if (state.kind === 'refused') fail('FUNCTIONS_UNAVAILABLE', { why: state.why })
}

/**
 * Compiles the code and starts it once, beside what runs. Nothing is stored. Throws FUNCTIONS_UNAVAILABLE, FUNCTION_LIMIT,
 * FUNCTION_CODE_INVALID, FUNCTIONS_BUSY, SECRETS_SEALED, and the signal's reason.
 */
export async function checkCode(
  app: DeployContext,
  cloud: CloudRow,
  { name, code }: NewCode,
  signal: AbortSignal,
): Promise<CompiledModule> {
  await requireRuntime(app)
  const cloudKey = keyOf(cloud)
  if (!(await store.findFunction(app.db.kysely, { ...cloudKey, name })))
    await requireBelowLimit(app, app.db.kysely, cloud)
  // Starter clouds take only JavaScript, which runs as it was written.
  const source = { code, isTypeScript: cloud.plan === 'dedicated' }
  const compiled = await app.functionCompiler.compile(source, { accountId: cloud.account_id, signal })
  const program = await app.functionSource.trialProgram(cloudKey, { name, bundle: compiled.bundle })
  const tried = await app.functions.tryOut(program, name)
  if (tried.works) return compiled
  const { message, line, column = 1 } = tried
  const [place] = line === undefined ? [] : await sourcePositions(compiled.mappings, [{ line, column }])
  return refuseCode(bootSentence(message), place)
}

async function requireBelowLimit(
  { config }: DeployContext,
  kysely: Db['kysely'],
  cloud: CloudRow,
): Promise<void> {
  const max = limitsOf(config.clouds, cloud).functions
  if ((await store.countFunctions(kysely, keyOf(cloud))) >= max) fail('FUNCTION_LIMIT', { max })
}

/** Stores checked code and makes it the live version. The cloud is locked and ready. Throws FUNCTION_LIMIT. */
export async function deploy(
  app: DeployContext,
  tx: Tx,
  cloud: CloudRow,
  { name, code, verifyJwt }: NewCode,
  { bundle, mappings, packages }: CompiledModule,
): Promise<ShownFunction> {
  const functionKey = { ...keyOf(cloud), name }
  const known = await store.findFunction(tx, functionKey)
  if (!known) await requireBelowLimit(app, tx, cloud)
  const now = new Date(app.clock.nowMs())
  const row = {
    ...{ account_id: cloud.account_id, cloud_id: cloud.cloud_id, name, code },
    ...{ bundle, mappings, packages, verify_jwt: verifyJwt },
  }
  await store.insertVersion(tx, row, now)
  await store.deleteOldVersions(tx, functionKey, keptVersions)
  await announceChange(tx, cloud)
  return (await store.findFunction(tx, functionKey))!
}

/** Notifies every process, when the transaction commits, that the program of the cloud has changed. */
export async function announceChange(tx: Tx, cloud: CloudRow): Promise<void> {
  await raiseFunctionsRevision(tx, keyOf(cloud))
  await announceCloud(tx, keyOf(cloud), cloud.ref)
}

/**
 * Makes a kept version the live one: the named one, or the newest before the current one. The cloud is locked and ready. Throws FUNCTION_NOT_FOUND,
 * FUNCTION_VERSION_NOT_FOUND, FUNCTION_VERSION_LIVE and FUNCTION_NOTHING_BEFORE.
 */
export async function rollBack(
  { clock }: Pick<FunctionsApp, 'clock'>,
  tx: Tx,
  cloud: CloudRow,
  { name, version: named }: { name: string; version: number | undefined },
): Promise<ShownFunction> {
  const functionKey = { ...keyOf(cloud), name }
  const found = await requireFunction(tx, functionKey)
  if (named === found.version) fail('FUNCTION_VERSION_LIVE', { version: named }, { param: 'version' })
  const versions = await store.versionsOf(tx, functionKey)
  const wanted = versions.find(({ version }) =>
    named === undefined ? version < found.version : version === named,
  )
  if (!wanted && named === undefined) fail('FUNCTION_NOTHING_BEFORE', {})
  if (!wanted) return fail('FUNCTION_VERSION_NOT_FOUND', { version: named! }, { param: 'version' })
  await store.setVersion(tx, functionKey, wanted, new Date(clock.nowMs()))
  await announceChange(tx, cloud)
  return (await store.findFunction(tx, functionKey))!
}

/** The cloud is locked and ready. Throws FUNCTION_NOT_FOUND. */
export async function removeFunction(tx: Tx, cloud: CloudRow, name: string): Promise<void> {
  if (!(await store.deleteFunction(tx, { ...keyOf(cloud), name })))
    fail('FUNCTION_NOT_FOUND', {}, { param: 'name' })
  await announceChange(tx, cloud)
}

/** Throws FUNCTION_NOT_FOUND. */
export const requireFunction = async (
  kysely: Db['kysely'],
  key: CloudKey & { name: string },
): Promise<ShownFunction> =>
  (await store.findFunction(kysely, key)) ?? fail('FUNCTION_NOT_FOUND', {}, { param: 'name' })
