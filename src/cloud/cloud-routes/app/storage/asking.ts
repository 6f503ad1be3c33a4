/** Who asks for objects, in the words of the cloud's database. */

import type { TSchema } from 'typebox'
import type { Asking, ObjectCaller } from '#cloud/buckets'
import type { OpenDatabase } from '#cloud/databases'
import { Failure, fail } from '#platform/errors'
import { compile } from '#platform/http'
import type { AppCall } from '../area.ts'
import { databaseCaller } from '../claims.ts'

/** Throws the refusal of a caller who has shown no key. */
export function objectCaller(call: AppCall): ObjectCaller {
  const { caller, cloud } = call
  if (caller.role === 'none') throw caller.refusal
  const userId = caller.role === 'authenticated' ? caller.userId : undefined
  return { ...databaseCaller(call), userId, isReadOnly: cloud.readOnlyWhy !== null }
}

/** With the cloud's database awake. */
export const withDatabase = <Result>(
  { app, cloud }: AppCall,
  work: (open: OpenDatabase) => Promise<Result>,
): Promise<Result> => app.databases.use(cloud, work)

/** The same as whoever calls, or as another. */
export function asking<Result>(
  call: AppCall,
  work: (asking: Asking) => Promise<Result>,
  caller = objectCaller(call),
): Promise<Result> {
  const { app, cloud } = call
  return withDatabase(call, (open) => work({ app, cloud, open, caller }))
}

const jsonBytes = 4 * 1024 * 1024

/** Unknown members are what newer clients have. Throws INVALID_REQUEST. */
export async function bodyOf<Body>(call: AppCall, schema: TSchema): Promise<Body> {
  const body = (await call.json(jsonBytes)) ?? {}
  checkOf(schema)(body)
  return body as Body
}

const checks = new WeakMap<TSchema, (value: unknown) => void>()
function checkOf(schema: TSchema): (value: unknown) => void {
  const made = checks.get(schema) ?? (compile(schema, 'body') as (value: unknown) => void)
  checks.set(schema, made)
  return made
}

/** BODY_TOO_LARGE of an object is said as storage clients know it. */
export async function sized<Result>(maxBytes: number, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Failure && error.code === 'BODY_TOO_LARGE') fail('OBJECT_TOO_LARGE', { maxBytes })
    throw error
  }
}
