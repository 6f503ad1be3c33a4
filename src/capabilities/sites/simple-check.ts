/** Stands in for the check of files in a thread of its own. */
import { createHash } from 'node:crypto'
import type { App } from '#app'
import type { CheckedPublication, PublishedFile } from '#engine/sites'
import type { SiteBody } from './schema.ts'

export async function checkBody({ spool }: Pick<App, 'spool'>, body: SiteBody): Promise<CheckedPublication> {
  const files: PublishedFile[] = []
  const parts: Buffer[] = []
  let at = 0
  for (const { path, content } of body.files) {
    const bytes = Buffer.from(content ?? '', 'base64')
    files.push({
      path,
      mediaType: path.endsWith('.html') ? 'text/html' : 'text/plain',
      sha256: createHash('sha256').update(bytes).digest('hex'),
      bytes: bytes.length,
      offset: at,
    })
    parts.push(bytes)
    at += bytes.length
  }
  const pack = await spool.write(
    (async function* () {
      yield* parts
    })(),
    { maxBytes: 20_000_000 },
  )
  return {
    name: body.name,
    slug: body.slug,
    spa: body.spa ?? false,
    cloudId: body.cloud_id,
    files,
    bytes: at,
    redirects: [],
    headers: [],
    pack,
    [Symbol.asyncDispose]: () => pack[Symbol.asyncDispose](),
  }
}
