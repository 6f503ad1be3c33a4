/**
 * Of every route what its schema says: what is beyond a bound is refused with 400 and the name of the field, and what is at its edge is not; a
 * field that there is not, one that is left out, another type, another value than those that are listed, and letters that are not taken are
 * refused with the name of the field.
 */
import type { TSchema } from 'typebox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isOfPeople, type Route } from '#platform/http'
import { routes } from '../../src/capabilities.ts'
import type { Client, Seen } from '../harness/client.ts'
import { type Member, newMember } from '../harness/session.ts'
import { boot, type World } from '../harness/world.ts'
import { type Bound, boundsOf } from './every-route/bounds.ts'
import { type Flaw, flawsOf } from './every-route/flaws.ts'
import { expectRefusal } from './refusal.ts'

let world: World
let key: Client
/** Who asks where no key may, or where only pages of our own may. */
let person: Member
beforeAll(async () => {
  // Nobody can pay, so that what is not refused for its bounds orders nothing.
  world = await boot({ credits: 0 })
  key = await world.key()
  person = await newMember(world, 'owner', { isOperator: true })
})
afterAll(() => world[Symbol.asyncDispose]())

type Place = 'body' | 'query' | 'form'
type Value = Record<string, unknown>

const schemaIn = (route: Route, place: Place): TSchema | undefined =>
  place === 'form' ? route.upload?.fields : route[place]

/** It looks for its site before it takes files of a hundred megabytes in; `POST /v1/sites` has the same bounds. */
const isUnreachable = ({ method, path }: Route): boolean => method === 'POST' && path === '/v1/sites/{id}'

/** The smallest file of a site has neither content nor hash, which is refused before anything else of it. */
const isMasked = ({ path: of }: Route, { path }: Flaw): boolean =>
  of === '/v1/sites' && path.startsWith('files.0.')

const places = ['body', 'query', 'form'] as const
const asked = routes.flatMap((route) =>
  places.flatMap((place) => {
    const schema = schemaIn(route, place)
    if (!schema || isUnreachable(route)) return []
    const flaws = [...flawsOf(schema, place !== 'body')].filter((flaw) => !isMasked(route, flaw))
    return [{ name: `${route.method} ${route.path}`, place, route, bounds: [...boundsOf(schema)], flaws }]
  }),
)
const bounded = asked.filter(({ bounds }) => bounds.length > 0)
const flawed = asked.filter(({ flaws }) => flaws.length > 0)

const missing = '0198c1d2-7c3e-7a4b-9f10-5b2e6a7d8c90'
function idOf({ path }: Route): string {
  if (path.includes('openid/{provider}') || path.includes('identities/{provider}')) return 'elsewhere'
  return path.startsWith('/v1/realtime') ? `rtc_${missing.replaceAll('-', '')}` : missing
}

function send(route: Route, place: Place, value: unknown): Promise<Seen> {
  const { method, path, upload } = route
  const caller = isOfPeople(route) || route.fromOwnPage ? person : key
  const target = path.replace(/\{\w+\}/g, idOf(route))
  const headers = { 'anthropic-version': '2023-06-01' }
  if (place === 'body') return caller.request(method, target, JSON.stringify(value), headers)
  const pairs = Object.entries(value as Value).flatMap(([name, one]) => pairsOf(name, one))
  if (place === 'query')
    return caller.request(method, `${target}?${new URLSearchParams(pairs)}`, undefined, headers)
  const parts = pairs.map(
    ([name, text]) => `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  )
  const files = Object.keys(upload!.files).map(
    (name) => `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\na\r\n`,
  )
  return caller.request(method, target, `${[...parts, ...files].join('')}--b--\r\n`, {
    ...headers,
    'content-type': 'multipart/form-data; boundary=b',
  })
}

/** As a form and a query say it: a list by its name once more, an object by names of its members. */
function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((one) => pairsOf(name, one))
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  return Object.entries(value).flatMap(([member, one]) => pairsOf(`${name}[${member}]`, one))
}

// A bound is a number of the contract: one that changes, or goes, is seen in the difference of this list.
test('the bounds are those that are written down', async () => {
  const lines = bounded.flatMap(({ name, place, bounds }) =>
    bounds.map(({ path, keyword, limit }) => `${name}  ${place}  ${path}  ${keyword} ${limit}\n`),
  )
  await expect(lines.join('')).toMatchFileSnapshot('every-bound.txt')
})

// A schema that takes more than it did, by a field that is no longer required or a type that is gone, is seen there too.
test('what the schemas refuse otherwise is what is written down', async () => {
  const lines = flawed.flatMap(({ name, place, flaws }) =>
    [...Map.groupBy(flaws, ({ keyword }) => keyword)].map(([keyword, those]) => {
      const paths = new Set(those.map(({ path }) => path || '(all of it)'))
      return `${name}  ${place}  ${keyword}: ${[...paths].join(', ')}\n`
    }),
  )
  await expect(lines.join('')).toMatchFileSnapshot('every-flaw.txt')
})

describe.each(bounded)('$name, $place', ({ route, place, bounds }) => {
  test.each(bounds.map((bound): [string, Bound] => [`${bound.path} ${bound.keyword} ${bound.limit}`, bound]))(
    '%s',
    async (about, { path, isAlone, beyond, edge }) => {
      const refused = await send(route, place, beyond)
      const param = isAlone ? path : refused.body.error?.param
      expectRefusal(refused, { status: 400, code: 'INVALID_REQUEST', param }, about)
      if (edge === undefined) return
      // What a model or a rule between fields refuses is told in another sentence.
      const taken = await send(route, place, edge)
      expect(taken.body?.error?.message).not.toBe(refused.body.error.message)
    },
  )
})

test.each(flawed)(
  '$name, $place: what its schema does not take is refused by the name of the field',
  async ({ route, place, flaws }) => {
    for (const flaw of flaws) {
      const { path, value } = flaw
      const refusal = { status: 400, code: codeOf(flaw), ...(path !== '' && { param: path }) }
      expectRefusal(await send(route, place, value), refusal, about(flaw))
    }
  },
)

const forms = routes.filter(
  (route) =>
    route.upload && !isUnreachable(route) && route.scope !== 'public' && !('*' in route.upload.files),
)
test.each(forms.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s: a file in a part that nobody reads is refused by the name of that part',
  async (_, route) => {
    for (const part of ['foo', 'file[1]', 'mask[]']) {
      const head = `content-disposition: form-data; name="${part}"; filename="a"`
      const form = `--b\r\n${head}\r\n\r\na\r\n--b--\r\n`
      const refused = await key.request(route.method, route.path.replace(/\{\w+\}/g, idOf(route)), form, {
        'content-type': 'multipart/form-data; boundary=b',
      })
      expectRefusal(refused, { status: 400, code: 'INVALID_REQUEST', param: part })
    }
  },
)

/** Fields that are refused with a code of their own. */
const ownRefusals: Record<string, string> = { confirm_public: 'CONFIRM_PUBLIC_REQUIRED' }

function codeOf({ path, keyword }: Flaw): string {
  if (keyword === 'additionalProperties') return 'UNKNOWN_FIELD'
  return ownRefusals[path] ?? 'INVALID_REQUEST'
}

const about = ({ path, keyword, value }: Flaw): string =>
  `${path} ${keyword} ${JSON.stringify(value).slice(0, 300)}`
