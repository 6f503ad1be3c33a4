/** Makes links for callers who may see, or store, an object. */
import { Type } from 'typebox'
import {
  bucketName,
  decodePath,
  findObjectsAs,
  objectName,
  openLinkSigner,
  parseObjectPlace,
  requireCanStore,
  requireObject,
  transformOf,
} from '#cloud/buckets'
import { fail } from '#platform/errors'
import { mediaTypeByName } from '#sites/hosting'
import type { AppCall, AppReply } from '../area.ts'
import { bodyOf, objectCaller, withDatabase, withObjectContext } from './asking.ts'
import { boundedInteger } from './bounds.ts'
import { propertiesOf } from './store.ts'

const maxSeconds = 10 * 366 * 24 * 60 * 60
const uploadMs = 2 * 60 * 60 * 1000
const maxPaths = 1_000

const LinkBody = Type.Object({
  expiresIn: Type.Unknown(),
  transform: Type.Optional(Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.Null()])),
  versionId: Type.Optional(Type.Unknown()),
})
const LinksBody = Type.Object({
  expiresIn: Type.Unknown(),
  paths: Type.Array(Type.String(), { maxItems: maxPaths }),
})

interface LinkRequest {
  expiresIn: unknown
  transform?: Record<string, unknown> | null
  versionId?: unknown
}

const expiryOf = ({ app }: AppCall, { expiresIn }: { expiresIn: unknown }): number => {
  const seconds = boundedInteger(expiresIn, { standard: 0, min: 1, max: maxSeconds, param: 'expiresIn' })
  return app.clock.nowMs() + seconds * 1000
}

export async function signLink(call: AppCall, rest: string): Promise<AppReply> {
  const place = parseObjectPlace(rest)
  const body = await bodyOf<LinkRequest>(call, LinkBody)
  if (body.versionId !== undefined) fail('BUCKETS_NOT_OFFERED', { what: 'versions' })
  const expiresAt = expiryOf(call, body)
  const wished = Object.entries(body.transform ?? {}).map(([name, value]) => [name, String(value)] as const)
  const transform = wished.length === 0 ? undefined : Object.fromEntries(wished)
  if (transform) transformOf(new URLSearchParams(transform))
  await withObjectContext(call, (context) => requireObject(context, place))
  const sign = await openLinkSigner(call.app, call.cloud)
  const token = sign(transform ? { ...place, to: 'render', transform } : { ...place, to: 'read' }, expiresAt)
  const where = transform ? 'render/image' : 'object'
  // The client encodes the URL.
  return { status: 200, body: { signedURL: `/${where}/sign/${place.bucket}/${place.name}?token=${token}` } }
}

export async function signLinks(call: AppCall, rest: string): Promise<AppReply> {
  const bucket = bucketName(decodePath(rest))
  const body = await bodyOf<{ expiresIn: unknown; paths: string[] }>(call, LinksBody)
  const expiresAt = expiryOf(call, body)
  const names = body.paths.map((path) => objectName(path.replace(/^\/+/, '')))
  const rows = await withDatabase(call, (open) => findObjectsAs(open, objectCaller(call), bucket, names))
  const seen = new Set(rows.map(({ name }) => name))
  const sign = await openLinkSigner(call.app, call.cloud)
  const answers = names.map((name, at) => {
    if (!seen.has(name))
      return {
        error: 'Either the object does not exist or you do not have access to it',
        path: body.paths[at]!,
        signedURL: null,
      }
    const token = sign({ bucket, name, to: 'read' }, expiresAt)
    return { error: null, path: body.paths[at]!, signedURL: `/object/sign/${bucket}/${name}?token=${token}` }
  })
  return { status: 200, body: answers }
}

export async function signUpload(call: AppCall, rest: string): Promise<AppReply> {
  const place = parseObjectPlace(rest)
  const upsert = call.headers['x-upsert'] === 'true'
  const properties = propertiesOf({
    type: mediaTypeByName(place.name),
    cacheControl: undefined,
    metadata: undefined,
  })
  await withObjectContext(call, (context) => requireCanStore(context, { ...place, upsert, properties }))
  const { userId } = objectCaller(call)
  const sign = await openLinkSigner(call.app, call.cloud)
  const link = { ...place, to: 'upload' as const, upsert, ...(userId !== undefined && { owner: userId }) }
  const token = sign(link, call.app.clock.nowMs() + uploadMs)
  return {
    status: 200,
    body: {
      url: `/object/upload/sign/${[place.bucket, ...place.name.split('/')].map(encodeURIComponent).join('/')}?token=${token}`,
      token,
    },
  }
}
