/** Stores objects: their bytes as they are, or in a form. */

import { Type } from 'typebox'
import {
  limitOf,
  type NewObject,
  type ObjectCaller,
  type ObjectPlace,
  type ObjectProperties,
  parseObjectPlace,
  putObject,
  readBucket,
  readLink,
  requireCanStore,
  requireFits,
  serviceCaller,
} from '#cloud/buckets'
import { fail } from '#platform/errors'
import { isMultipart } from '#platform/http'
import { boundsOf, exactly, readSmallJson, writtenOutBytes } from '#platform/json'
import type { SpoolFile } from '#platform/spool'
import { sourceOf } from '#platform/storage'
import { mediaTypeByName } from '#sites/hosting'
import type { AppCall, AppReply } from '../area.ts'
import { objectCaller, withObjectContext, withSizeRefusal } from './asking.ts'
import { objectReasons } from './phrases.ts'

const typePattern = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(?:\s*;[\x20-\x7e]{0,150})?$/
const maxMetadataLength = 16 * 1024

/** Checks the properties that apps state. Throws INVALID_REQUEST. */
export function propertiesOf({
  type,
  cacheControl,
  metadata,
}: {
  type: string
  cacheControl: string | undefined
  metadata: string | undefined
}): ObjectProperties {
  if (!typePattern.test(type)) fail('INVALID_REQUEST', { why: objectReasons.type }, { param: 'Content-Type' })
  const cache = cacheControl === undefined || cacheControl === '' ? 'no-cache' : cacheControl
  if (!/^[\x20-\x7e]{1,200}$/.test(cache))
    fail('INVALID_REQUEST', { why: objectReasons.cache }, { param: 'cacheControl' })
  return { contentType: type, cacheControl: cache, userMetadata: metadataOf(metadata) }
}

/** Reads metadata, no deeper than JSON of a body: it is written again by a function that calls itself for each level. */
function metadataOf(text: string | undefined): string | null {
  if (text === undefined || text === '') return null
  const refuse = (): never => fail('INVALID_REQUEST', { why: objectReasons.metadata }, { param: 'metadata' })
  // PostgreSQL's JSON has no NUL.
  if (text.length > maxMetadataLength || /\\u0000/.test(text)) return refuse()
  try {
    const value = exactly(readSmallJson(Buffer.from(text), { ...boundsOf(maxMetadataLength), exact: true }))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (isObject && writtenOutBytes(value) <= maxMetadataLength) return JSON.stringify(value)
  } catch {}
  return refuse()
}

/** Returns `3600` of a form as a header states it. */
export const seconds = (stated: string | undefined): string | undefined =>
  stated !== undefined && /^\d{1,10}$/.test(stated) ? `max-age=${stated}` : stated

const Fields = Type.Object({
  cacheControl: Type.Optional(Type.String()),
  metadata: Type.Optional(Type.String()),
  contentEncoding: Type.Optional(Type.String()),
  contentType: Type.Optional(Type.String()),
})

interface ReceivedObject {
  file: SpoolFile
  properties: ObjectProperties
}

async function formOf(call: AppCall, maxBytes: number): Promise<ReceivedObject> {
  const spec = { fields: Fields, files: { '*': 1 }, maxBytes, fieldBytes: maxMetadataLength }
  const { fields, files } = await withSizeRefusal(maxBytes, call.form(spec))
  const {
    cacheControl,
    metadata,
    contentEncoding,
    contentType: stated,
  } = fields as Record<string, string | undefined>
  if (contentEncoding) fail('INVALID_REQUEST', { why: objectReasons.encoded }, { param: 'contentEncoding' })
  const [file] = files
  const { contentType, mediaType } = file!
  // Parameters that no object may have are left out: an app that sends a form seldom knows of them.
  const type = stated || (typePattern.test(contentType) ? contentType : mediaType)
  return {
    file: file!,
    properties: propertiesOf({ type, cacheControl: seconds(cacheControl), metadata }),
  }
}

/** The properties that are stated before the bytes come. */
function headerProperties({ headers }: AppCall): ObjectProperties {
  const metadata = headers['x-metadata']
  return propertiesOf({
    type: headers['content-type'] ?? 'application/octet-stream',
    cacheControl: headers['cache-control'],
    metadata: metadata === undefined ? undefined : Buffer.from(String(metadata), 'base64').toString('utf8'),
  })
}

/** Reads the body only for a caller who may store the object. */
async function receive(
  call: AppCall,
  place: ObjectPlace,
  { upsert, caller }: { upsert: boolean; caller: ObjectCaller },
): Promise<AppReply> {
  const isForm = isMultipart(call.message)
  const length = isForm ? undefined : lengthOf(call)
  // A form states its type late: until then it is taken from the end of the name.
  const first = isForm
    ? propertiesOf({ type: mediaTypeByName(place.name), cacheControl: undefined, metadata: undefined })
    : headerProperties(call)
  const maxBytes = await withObjectContext(
    call,
    async (context) => {
      const bucket = await readBucket(context.open, place.bucket)
      requireFits(bucket, { bytes: length, contentType: isForm ? undefined : first.contentType })
      await requireCanStore(context, { ...place, upsert, properties: first }, length)
      return limitOf(bucket)
    },
    caller,
  )
  const arrived = isForm
    ? await formOf(call, maxBytes)
    : { file: await withSizeRefusal(maxBytes, call.file(maxBytes)), properties: first }
  const object: NewObject = { ...place, upsert, properties: arrived.properties }
  const stored = await withObjectContext(
    call,
    (context) => putObject(context, object, sourceOf(arrived.file)),
    caller,
  )
  return { status: 200, body: { Id: stored.id, Key: `${place.bucket}/${place.name}` } }
}

const lengthOf = ({ headers }: AppCall): number | undefined => {
  const stated = headers['content-length']
  return stated === undefined ? undefined : Number(stated)
}

export const storeObject = (call: AppCall, rest: string): Promise<AppReply> =>
  receive(call, parseObjectPlace(rest), {
    upsert: call.headers['x-upsert'] === 'true',
    caller: objectCaller(call),
  })

export const replaceObject = (call: AppCall, rest: string): Promise<AppReply> =>
  receive(call, parseObjectPlace(rest), { upsert: true, caller: objectCaller(call) })

/** The policies were checked when the link was made; the object belongs to the user who made it. */
export async function storeLinked(call: AppCall, rest: string): Promise<AppReply> {
  const place = parseObjectPlace(rest)
  const { app, cloud, query } = call
  const link = await readLink(app, cloud, query.get('token'), { ...place, to: 'upload' })
  return receive(call, place, {
    upsert: link.upsert ?? false,
    caller: { ...serviceCaller, userId: link.owner },
  })
}
