/** The caller of a request for objects, as the cloud's database knows it. */

import type { TSchema } from 'typebox'
import type { ObjectCaller, ObjectContext } from '#cloud/buckets'
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

/** Runs `work` with the cloud's database awake. */
export const withDatabase = <Result>(
  { app, cloud }: AppCall,
  work: (open: OpenDatabase) => Promise<Result>,
): Promise<Result> => app.databases.use(cloud, work)

/** Runs `work` likewise, as the caller of the request or as another one. */
export function withObjectContext<Result>(
  call: AppCall,
  work: (context: ObjectContext) => Promise<Result>,
  caller = objectCaller(call),
): Promise<Result> {
  const { app, cloud } = call
  return withDatabase(call, (open) => work({ app: app.buckets, cloud, open, caller }))
}

const jsonBytes = 4 * 1024 * 1024

/** Reads a body; newer clients may send unknown members. Throws INVALID_REQUEST. */
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

/** Turns BODY_TOO_LARGE of an object into the code that storage clients know. */
export async function withSizeRefusal<Result>(maxBytes: number, reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof Failure && error.code === 'BODY_TOO_LARGE') fail('OBJECT_TOO_LARGE', { maxBytes })
    throw error
  }
}
