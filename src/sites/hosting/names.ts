/** The names under which a site is found: the first label of its host on the apps domain. */
import { randomInt } from 'node:crypto'
import { fail } from '#platform/errors'
import { inLatinLetters } from '#platform/words'
import { reasons } from './errors.ts'

/** Preview hosts start with this; nobody may choose such a name. */
const previewPrefix = 'preview-'

const wellFormed = /^[a-z0-9](?:-?[a-z0-9]){0,62}$/
const maxLabelLength = 63
/** The shape of the references of app back-ends, whose hosts lie beside those of sites where no domain is configured. */
const refShaped = /^[a-z]{20}$/

/** Names of services and of people in charge: a page there would be taken for the platform's own. */
const reserved = new Set(
  [
    'about abuse account accounts admin administrator api app apps ask assets auth autoconfig autodiscover billing blog cdn chat',
    'cloud clouds connect console dashboard dev developer developers docs ftp git hash help home hostmaster id imap info internal',
    'invoice ipfs kherad khrad localhost login logout mail mx mta news noreply ns ns1 ns2 oauth official openid operator pay payment',
    'payments pop postmaster preview previews private proxy public root secure security server service signin signup site sites smtp',
    'sso staging static status store studio support sysadmin system team test tls trust update upload usenet verify webmaster webmail',
    'well-known wpad www www1 www2 xn',
  ].flatMap((line) => line.split(' ')),
)
/** Names of the platform itself, which no part of a name may spell. */
const ownNames = ['kherad', 'khrad', 'kheradai']

const lookAlikes: Record<string, string> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '8': 'b',
}

/** What a hurried reader takes the name for: digits as the letters that they resemble, `rn` as `m`, `vv` as `w`. */
const skeletonOf = (name: string): string =>
  name
    .replaceAll(/[0134578]/g, (digit) => lookAlikes[digit]!)
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w')
    // A small L and an i look alike.
    .replaceAll('i', 'l')

const reservedSkeletons = new Set([...reserved].map(skeletonOf))
const ownSkeletons = ownNames.map(skeletonOf)

/**
 * Throws INVALID_REQUEST for a name that no site may have: 1 to 63 of a–z, 0–9 and single dashes inside, no punycode, none that looks
 * like a service, like the platform (also by `platformNames`, such as the labels of its own host), like a preview or like the reference of
 * an app back-end.
 */
export function checkSlug(slug: string, platformNames: readonly string[] = []): void {
  const why = slugProblem(slug, platformNames)
  if (why) fail('INVALID_REQUEST', { why }, { param: 'slug' })
}

function slugProblem(slug: string, platformNames: readonly string[]) {
  if (slug.length > maxLabelLength || !wellFormed.test(slug)) return reasons.slugForm
  if (slug.startsWith(previewPrefix) || refShaped.test(slug)) return reasons.slugReserved
  const skeleton = skeletonOf(slug.replaceAll('-', ''))
  const own = [...ownSkeletons, ...platformNames.map((name) => skeletonOf(name.replaceAll('-', '')))]
  const isMisleading =
    reserved.has(slug) ||
    reservedSkeletons.has(skeleton) ||
    reservedSkeletons.has(skeletonOf(slug)) ||
    own.some((name) => skeleton.startsWith(name) || skeleton.endsWith(name))
  return isMisleading ? reasons.slugReserved : undefined
}

/** Words of a host name that are too short or too common to be anybody's. */
const common = new Set(['www', 'localhost', 'example', 'server', 'local', 'test', 'home'])
const shortestOwn = 4

/** The names that nobody but the platform itself may bear, from the address at which it is reached. */
export const namesOfPlatform = (baseUrl: string): string[] =>
  new URL(baseUrl).hostname
    .split('.')
    .slice(0, -1)
    .filter((label) => label.length >= shortestOwn && !common.has(label) && /[a-z]/.test(label))

const maxDerivedLength = 40
/** The letters of a suffix: no vowels, so that no words arise, and no look-alikes. */
const suffixLetters = 'bcdfghjkmnpqrstvwxz2469'
const suffixLength = 6

/**
 * A slug made of the name of a site: Persian letters become Latin ones. A slug that would be refused gets a random ending, and so does a name without
 * a letter that can be used.
 */
export function slugFrom(name: string, platformNames: readonly string[] = []): string {
  const plain = inLatinLetters(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, maxDerivedLength)
    .replaceAll(/^-|-$/g, '')
  if (plain !== '' && !slugProblem(plain, platformNames)) return plain
  const ended = withSuffix(plain)
  return slugProblem(ended, platformNames) ? withSuffix('s') : ended
}

/** Another slug like this one, to be suggested where this one is taken. */
export const withSuffix = (slug: string): string => {
  const suffix = Array.from(
    { length: suffixLength },
    () => suffixLetters[randomInt(suffixLetters.length)],
  ).join('')
  return slug === '' ? `site-${suffix}` : `${slug.slice(0, maxDerivedLength)}-${suffix}`.replaceAll('--', '-')
}

const previewLetters = 'abcdefghijklmnopqrstuvwxyz234567'
const previewLength = 26

/** The first label of a preview's host, which nobody guesses: 130 random bits. */
export const newPreview = (): string =>
  previewPrefix + Array.from({ length: previewLength }, () => previewLetters[randomInt(32)]).join('')
