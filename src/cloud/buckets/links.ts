/** Links by which anybody who has one may, for a while, read one object, or store one. */
import { timingSafeEqual } from 'node:crypto'
import type { CloudKey } from '#cloud/clouds'
import { fail } from '#platform/errors'
import type { ObjectLinksApp } from './app.ts'
import type { ObjectPlace } from './object-store.ts'
import './errors.ts'

/** What a link allows. */
export interface ObjectLink extends ObjectPlace {
  /** `render` allows a picture as `transform` has it, and nothing else. */
  to: 'read' | 'render' | 'upload'
  /** The parameters of `render`, as they came. */
  transform?: Readonly<Record<string, string>> | undefined
  /** For `upload`: the owner of the object, and whether it may replace one. */
  owner?: string | undefined
  upsert?: boolean | undefined
}

const purposeOf = ({ cloudId }: CloudKey): string => `links to objects/${cloudId}`
const maxTokenLength = 8_000

/** Returns a function that signs links. The object's name is signed too, so that no link fits another object. Throws SECRETS_SEALED. */
export async function openLinkSigner(
  { secrets }: Pick<ObjectLinksApp, 'secrets'>,
  cloud: CloudKey,
): Promise<(link: ObjectLink, expiresAtMs: number) => string> {
  const sign = await secrets.signer(purposeOf(cloud))
  return (link, expiresAtMs) => {
    const body = Buffer.from(JSON.stringify({ ...link, exp: Math.ceil(expiresAtMs / 1000) }))
    return `${body.toString('base64url')}.${sign(body).toString('base64url')}`
  }
}

/** Returns the link of a token. Throws OBJECT_LINK_INVALID where it is no link to `expected`, and SECRETS_SEALED. */
export async function readLink(
  { secrets, clock }: ObjectLinksApp,
  cloud: CloudKey,
  token: string | null,
  expected: ObjectPlace & Pick<ObjectLink, 'to'>,
): Promise<ObjectLink> {
  const [text = '', signature = '', more] = token && token.length <= maxTokenLength ? token.split('.', 3) : []
  const body = Buffer.from(text, 'base64url')
  const given = Buffer.from(signature, 'base64url')
  const sign = await secrets.knownSigner(purposeOf(cloud))
  const isOurs =
    more === undefined &&
    given.length === 32 &&
    // Only one spelling of a token is accepted.
    body.toString('base64url') === text &&
    given.toString('base64url') === signature &&
    sign !== undefined &&
    timingSafeEqual(sign(body), given)
  if (!isOurs) return fail('OBJECT_LINK_INVALID', {})
  const link = JSON.parse(body.toString('utf8')) as ObjectLink & { exp: number }
  const isThis = link.to === expected.to && link.bucket === expected.bucket && link.name === expected.name
  return isThis && clock.nowMs() < link.exp * 1000 ? link : fail('OBJECT_LINK_INVALID', {})
}
