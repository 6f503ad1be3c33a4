/** Links that let in whoever has them, for a while: to read one object, or to store one. */
import { timingSafeEqual } from 'node:crypto'
import type { App } from '#app'
import type { CloudKey } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { ObjectPlace } from './object-store.ts'
import './errors.ts'

/** What a link lets do. */
export interface Link extends ObjectPlace {
  /** `render`: a picture as `transform` has it, and nothing else. */
  to: 'read' | 'render' | 'upload'
  /** Of `render`, as it came. */
  transform?: Readonly<Record<string, string>> | undefined
  /** Of `upload`: whose object it will be, and whether it may replace one. */
  owner?: string | undefined
  upsert?: boolean | undefined
}

const purposeOf = ({ cloudId }: CloudKey): string => `links to objects/${cloudId}`
const maxTokenLength = 8_000

/** The name of an object is signed with it: a link of one is none of another. Throws SECRETS_SEALED. */
export async function openLinkSigner(
  { secrets }: Pick<App, 'secrets'>,
  cloud: CloudKey,
): Promise<(link: Link, expiresAtMs: number) => string> {
  const sign = await secrets.signer(purposeOf(cloud))
  return (link, expiresAtMs) => {
    const body = Buffer.from(JSON.stringify({ ...link, exp: Math.ceil(expiresAtMs / 1000) }))
    return `${body.toString('base64url')}.${sign(body).toString('base64url')}`
  }
}

/** Throws OBJECT_LINK_INVALID where it is no link to this, and SECRETS_SEALED. */
export async function readLink(
  { secrets, clock }: Pick<App, 'secrets' | 'clock'>,
  cloud: CloudKey,
  token: string | null,
  expected: ObjectPlace & Pick<Link, 'to'>,
): Promise<Link> {
  const [text = '', signature = '', more] = token && token.length <= maxTokenLength ? token.split('.', 3) : []
  const body = Buffer.from(text, 'base64url')
  const given = Buffer.from(signature, 'base64url')
  const sign = await secrets.knownSigner(purposeOf(cloud))
  const isOurs =
    more === undefined &&
    given.length === 32 &&
    // One token has one spelling.
    body.toString('base64url') === text &&
    given.toString('base64url') === signature &&
    sign !== undefined &&
    timingSafeEqual(sign(body), given)
  if (!isOurs) return fail('OBJECT_LINK_INVALID', {})
  const link = JSON.parse(body.toString('utf8')) as Link & { exp: number }
  const isThis = link.to === expected.to && link.bucket === expected.bucket && link.name === expected.name
  return isThis && clock.nowMs() < link.exp * 1000 ? link : fail('OBJECT_LINK_INVALID', {})
}
