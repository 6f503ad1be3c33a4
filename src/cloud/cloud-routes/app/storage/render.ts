/** Pictures in another size. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import {
  openBytes,
  renderPicture,
  requireRenderable,
  sizeOf,
  type Transform,
  transformOf,
  typeOf,
} from '#cloud/buckets'
import { Failure } from '#platform/errors'
import { isNotModified, prefersByName } from '#platform/http'
import { Turns } from '#platform/turns'
import type { AppCall, AppReply } from '../area.ts'
import { headersOf, objectByLink, objectBySession, publicObject, type ReadableObject } from './read.ts'

const turns = new WeakMap<AppCall['app']['buckets']['storage'], Turns>()

/** The turns of decoding, which takes memory and a core: two at once in a process, one of each cloud. */
function turnsOf({ storage }: AppCall['app']['buckets']): Turns {
  const known = turns.get(storage)
  if (known) return known
  const made = new Turns({
    ...{ places: 2, perOwner: 1, waitingPerOwner: 50, waiting: 500, maxWaitMs: 10_000 },
    busy: () => new Failure('CLOUD_BUSY', {}, { retryAfterMs: 1_000 }),
  })
  turns.set(storage, made)
  return made
}

export async function renderPublic(call: AppCall, rest: string): Promise<AppReply> {
  const transform = transformOf(call.query)
  return render(call, await publicObject(call, rest), transform)
}

export async function renderBySession(call: AppCall, rest: string): Promise<AppReply> {
  const transform = transformOf(call.query)
  return render(call, await objectBySession(call, rest), transform)
}

/** Renders as the link states, whatever the query asks for. */
export async function renderLinked(call: AppCall, rest: string): Promise<AppReply> {
  const { link, ...readable } = await objectByLink(call, rest, 'render')
  return render(call, readable, transformOf(new URLSearchParams(link.transform)))
}

async function render(call: AppCall, readable: ReadableObject, transform: Transform): Promise<AppReply> {
  const { app, cloud, headers } = call
  const { row, isPrivate } = readable
  requireRenderable({ bytes: sizeOf(row), mediaType: typeOf(row) })
  const takesWebp = prefersByName(headers.accept, 'image/webp', typeOf(row))
  const form = createHash('sha256')
    .update(JSON.stringify([transform, takesWebp]))
    .digest('base64url')
  const etag = `"${row.version}-${form.slice(0, 16)}"`
  const always = headersOf(call, row, { etag, isPrivate })
  const vary = ['accept', ...(isPrivate ? ['authorization', 'apikey'] : [])].join(', ')
  if (isNotModified(headers, etag)) return { status: 304, headers: { ...always, vary } }
  const { bytes, mediaType } = await turnsOf(app.buckets).run(cloud.cloudId, async () =>
    renderPicture(await buffer(await openBytes(app.buckets, cloud, row)), transform, takesWebp),
  )
  return {
    status: 200,
    headers: { ...always, vary, 'accept-ranges': 'none', 'content-type': mediaType },
    body: bytes,
  }
}
